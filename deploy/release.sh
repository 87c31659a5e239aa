#!/usr/bin/env bash
# A release, from a clean checkout: builds the image and pushes it, puts its digest into the overlay and commits that, then signs what
# is deployed: the image, the list of what is in it (SBOM), and the client that it offers.
# Needs git, docker with buildx, node, syft and cosign, gh where the client is to be attached to a release of GitHub; a log-in at
# the registry (docker login), and an identity for cosign: a browser, or COSIGN_KEY with a key (https://docs.sigstore.dev).
set -euo pipefail
cd "$(dirname "$0")/.."
image=${1:?usage: deploy/release.sh registry.example.com/grain-data-exchange [options of docker buildx build, such as --platform linux/arm64]}
overlay=deploy/kubernetes/overlays/production/kustomization.yaml
for tool in git docker node syft cosign; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2; exit 1; }
done
docker buildx version >/dev/null || { echo "docker has no buildx; install it" >&2; exit 1; }
[ -z "$(git status --porcelain)" ] || { echo "the checkout has changes that are not committed; commit them" >&2; exit 1; }

version=$(node -p 'require("./package.json").version')
out=$(mktemp -d)
docker buildx build -f deploy/Dockerfile \
  --label "org.opencontainers.image.revision=$(git rev-parse HEAD)" \
  --metadata-file "$out/metadata.json" --push -t "$image:$version" "${@:2}" .
digest=$(node -p 'require(process.argv[1])["containerimage.digest"]' "$out/metadata.json")

# What is deployed is the digest; the job of the migration is named by the version.
sed -i -E -e "s,^( +newName:) .*,\1 $image," -e "s,^( +)(newTag|digest): .*,\1digest: $digest # $version," \
  -e "s,(value: gdx-migrate)-[0-9a-z-]+,\1-${version//./-}," "$overlay"
git diff --quiet || git commit --quiet --message "Deploy $version" "$overlay"

options=(--yes ${COSIGN_KEY:+--key "$COSIGN_KEY"})
syft scan "registry:$image@$digest" -o "spdx-json=$out/sbom.spdx.json"
cosign sign "${options[@]}" "$image@$digest"
cosign attest "${options[@]}" --type spdxjson --predicate "$out/sbom.spdx.json" "$image@$digest"

# The client as the service offers it: out of the image, and not built again.
container=$(docker create "$image@$digest")
docker cp "$container:/app/dist/downloads/." "$out/downloads"
docker rm "$container" >/dev/null
cd "$out/downloads"
sha256sum --check gdx.mjs.sha256
cosign sign-blob "${options[@]}" --bundle gdx.mjs.sigstore.json gdx.mjs
cd - >/dev/null
if command -v gh >/dev/null && gh release view "v$version" >/dev/null 2>&1; then
  gh release upload "v$version" --clobber "$out"/downloads/gdx.mjs* "$out/sbom.spdx.json"
else
  echo "There is no release v$version to attach the client to: $out/downloads"
fi

echo "SBOM: $out/sbom.spdx.json"
echo "$overlay deploys $image@$digest"
