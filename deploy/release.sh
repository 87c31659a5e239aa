#!/usr/bin/env bash
# Builds the image from a clean checkout, describes what is in it (SBOM), signs both, and prints the line for Kubernetes.
# Needs docker with buildx, syft, cosign and jq; log in to the registry first.
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

echo "SBOM: $out/sbom.spdx.json"
echo "(cd deploy/kubernetes/overlays/production && kustomize edit set image grain-data-exchange=$image@$digest)"
