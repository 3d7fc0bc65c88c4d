# The program without the embedded PostgreSQL, for docker-compose.yml. Nothing of it needs root or writes to its own files.

# A release of Node.js that is still maintained; every stage builds on it.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY apps/cli/bin ./apps/cli/bin
COPY libs/client/package.json ./libs/client/package.json
# No package needs its installation script to compile ours.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY libs ./libs
COPY apps ./apps
COPY CHANGELOG.md CODE_OF_CONDUCT.md CONTRIBUTING.md SECURITY.md ./
COPY docs ./docs
RUN npm run build

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY apps/cli/bin ./apps/cli/bin
COPY libs/client/package.json ./libs/client/package.json
# The binaries of PostgreSQL are optional packages; the others of that kind only save a little time.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE} AS program
ENV NODE_ENV=production \
    PATH=/app/node_modules/.bin:$PATH
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY deploy/back-up.sh ./deploy/back-up.sh
COPY apps/cli/bin ./apps/cli/bin
COPY libs/client/package.json ./libs/client/package.json
# The user "node" of the image, by number, so that an engine can see that it is not root.
USER 1000:1000
EXPOSE 3000 3001 3002
STOPSIGNAL SIGTERM
# Whether it runs; docker-compose.yml asks whether it is ready, which needs its stores too.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch('http://127.0.0.1:3002/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node.js is the first process and handles signals itself: there is no shell between it and the engine.
ENTRYPOINT ["node", "dist/apps/cli/main.js"]
CMD ["--help"]
