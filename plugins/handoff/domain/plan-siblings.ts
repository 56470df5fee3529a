import { once } from '../../../server/plugin.ts'
import { folded } from './words.ts'

/**
 * Things of one kind, of which a text uses one: a plan that names another is another plan. `/` joins the names of one
 * thing. False repeats showed the need; the names are those of programming in general (docs/decisions/0186).
 */
const KINDS = `
  postgres/postgresql/pg mysql/mariadb sqlite mongodb/mongo oracle mssql/sqlserver dynamodb cassandra cockroachdb clickhouse
    bigquery snowflake redshift duckdb redis/valkey memcached hazelcast cookie/cookies localstorage sessionstorage indexeddb;
  rabbitmq kafka sqs nats pulsar zeromq; celery rq dramatiq huey; sidekiq resque; bullmq agenda;
  nginx httpd/apache caddy traefik haproxy envoy; webpack vite rollup esbuild parcel rspack turbopack;
  jest vitest mocha jasmine karma; playwright cypress selenium puppeteer; npm yarn pnpm; pip poetry uv pipenv conda;
  babel swc; eslint tslint biome; bcrypt argon2/argon2id scrypt pbkdf2 md5 sha1/sha-1 sha256/sha-256 sha512/sha-512;
  gzip brotli zstd lz4 snappy xz bzip2; png jpeg/jpg webp avif gif svg;
  json yaml toml xml protobuf/protobufs avro msgpack/messagepack csv parquet; rest grpc graphql soap;
  websocket/websockets sse/eventsource webhooks/webhook; mqtt amqp; moment/momentjs dayjs luxon date-fns;
  redux zustand mobx recoil jotai; vuex pinia; react vue svelte angular preact; prisma typeorm sequelize knex drizzle;
  g1/g1gc zgc shenandoah; gevent eventlet; uvicorn hypercorn waitress uwsgi; terraform/opentofu pulumi cloudformation ansible;
  docker podman; kubernetes/k8s nomad swarm; utf-8/utf8 latin1/latin-1/iso-8859-1 utf-16/utf16 ascii windows-1252/cp1252;
  float/float32/float64/floats decimal/decimals/bigdecimal; uuid/uuids/uuidv4 ulid/ulids uuidv7;
  serializable repeatable_read read_committed; winston pino bunyan log4j logback; adam/adamw sgd rmsprop;
  xgboost lightgbm catboost; elasticsearch/opensearch solr meilisearch typesense algolia; pgbouncer pgpool;
  prometheus datadog influxdb graphite; jaeger zipkin; sass/scss tailwind bootstrap; h264/avc h265/hevc vp9 av1;
  opus aac mp3 flac; ext4 xfs btrfs zfs nfs; jemalloc tcmalloc mimalloc; jackson gson moshi; junit testng spock`

/** For each name, its kind and the thing that it means. */
const things = once(() => {
  const found = new Map<string, readonly [kind: number, thing: number]>()
  let thing = 0
  for (const [kind, members] of KINDS.split(';').entries()) {
    for (const member of members.trim().split(/\s+/)) {
      thing++
      for (const name of member.split('/')) found.set(name.replaceAll('_', ' '), [kind, thing])
    }
  }
  return found
})

const pattern = once(() => {
  const names = [...things().keys()].toSorted((a, b) => b.length - a.length)
  return new RegExp(String.raw`(?<![\w-])(?:${names.join('|')})(?![\w-])`, 'g')
})

/** Of each kind, the things that a text names. */
export type Kinds = ReadonlyMap<number, ReadonlySet<number>>

export function kindsIn(text: string): Kinds {
  const found = new Map<number, Set<number>>()
  for (const [name] of folded(text).matchAll(pattern())) {
    const [kind, thing] = things().get(name) ?? []
    if (kind === undefined || thing === undefined) continue
    found.set(kind, (found.get(kind) ?? new Set()).add(thing))
  }
  return found
}

/** Both name things of one kind, and none that the other names. */
export function areSiblings(plan: Kinds, tried: Kinds): boolean {
  return [...tried].some(([kind, done]) => {
    const meant = plan.get(kind)
    return meant !== undefined && ![...meant].some((thing) => done.has(thing))
  })
}
