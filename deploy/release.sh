#!/usr/bin/env bash
# Builds the image from a clean checkout, describes what is in it (SBOM), signs both, attaches the client that is in it to the
# release of its version, and prints the line for Kubernetes.
# Needs docker with buildx, syft, cosign and jq, and gh for the release; log in to the registry first.
set -euo pipefail
cd "$(dirname "$0")/.."
image=${1:?usage: deploy/release.sh registry.example.com/grain-data-exchange}
for tool in docker syft cosign jq; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2; exit 1; }
done
[ -z "$(git status --porcelain)" ] || { echo "the checkout has changes that are not committed" >&2; exit 1; }

version=$(node -p 'require("./package.json").version')
base=$(sed -n 's/^ARG NODE_IMAGE=//p' deploy/Dockerfile)
base_digest=$(docker buildx imagetools inspect "$base" --format '{{json .Manifest.Digest}}' | jq -r .)
out=$(mktemp -d)
docker buildx build -f deploy/Dockerfile --build-arg "NODE_IMAGE=$base@$base_digest" \
  --label "org.opencontainers.image.revision=$(git rev-parse HEAD)" \
  --metadata-file "$out/metadata.json" --push -t "$image:$version" .
digest=$(jq -er '."containerimage.digest"' "$out/metadata.json")

syft scan "registry:$image@$digest" -o "spdx-json=$out/sbom.spdx.json"
cosign sign --yes "$image@$digest"
cosign attest --yes --type spdxjson --predicate "$out/sbom.spdx.json" "$image@$digest"

# The client as the service offers it: out of the image, and not built again.
container=$(docker create "$image@$digest")
docker cp "$container:/app/dist/downloads/." "$out/downloads"
docker rm "$container" >/dev/null
cd "$out/downloads"
sha256sum --check gdx.mjs.sha256
cosign sign-blob --yes --bundle gdx.mjs.sigstore.json gdx.mjs
cd - >/dev/null
if command -v gh >/dev/null && gh release view "v$version" >/dev/null 2>&1; then
  gh release upload "v$version" "$out"/downloads/gdx.mjs* "$out/sbom.spdx.json"
else
  echo "There is no release v$version to attach the client to: $out/downloads"
fi

echo "SBOM: $out/sbom.spdx.json"
echo "(cd deploy/kubernetes/overlays/production && kustomize edit set image grain-data-exchange=$image@$digest)"
