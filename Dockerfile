# One image for every role: `api`, `worker`, `migrate`, `gdx ...` (deploy/image/main.ts).
# Debian, not Alpine: the Temporal SDK's native core needs glibc.

FROM node:20.20.2-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json config.ts ./
COPY activities activities/
COPY api api/
COPY bell bell/
COPY cli cli/
COPY demo demo/
COPY deploy deploy/
COPY domain domain/
COPY metrics metrics/
COPY sample sample/
COPY store store/
COPY worker worker/
COPY workflows workflows/
# What the roles reach, and the workflow bundle: a worker that starts again must not spend its first seconds on it.
RUN npx tsc -p deploy/image/tsconfig.image.json && node dist/worker/bundle-workflows.js

FROM node:20.20.2-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts
# The SDK brings its core for five platforms.
RUN find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name '*-linux-gnu' -exec rm -r {} +

FROM node:20.20.2-bookworm-slim AS runtime
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules node_modules/
COPY --from=build /app/dist dist/
# The image's own user `node`, by number so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 3000 9464 9465
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=6s --start-period=60s --retries=3 CMD ["node", "dist/deploy/image/main.js", "health"]
ENTRYPOINT ["node", "dist/deploy/image/main.js"]
CMD ["api"]
