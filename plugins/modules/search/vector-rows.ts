import type { Database, SqlRow, SqlValue } from '../../../server/plugin.ts'
import { unpackText } from './packed-text.ts'
import { parseHeader, type StoreHeader } from './store-header.ts'
import { keptMetadata, type StoredRecord } from './vector-record.ts'
import type { Touch, VectorFilter, VectorItem } from './vector-store.ts'

/** The rows of one collection of vectors of a catalogue. Errors: those of the database. */
export interface VectorRows {
  /** The schema of pgvector, as SQL writes it, once there is a table; made where it can be. Undefined: it cannot be used. */
  extension(): Promise<string | undefined>
  header(): Promise<StoreHeader | undefined>
  putHeader(header: StoreHeader): Promise<void>
  /** Record id -> digest of its document. */
  digests(): Promise<Map<string, string>>
  put(items: Iterable<VectorItem>): Promise<void>
  remove(ids: readonly string[]): Promise<void>
  touch(touches: readonly Touch[]): Promise<void>
  /** The nearest that pass, as the server computes it, with their vectors. */
  nearest(
    vector: Float32Array,
    filter: VectorFilter,
    limit: number,
  ): Promise<readonly (StoredRecord & { readonly vector: Float32Array })[]>
  list(filter: VectorFilter): Promise<readonly StoredRecord[]>
  count(): Promise<number>
}

const BATCH_ITEMS = 256
const BATCH_IDS = 10_000
const FACTS = [
  ...(['repository', 'ref', 'path', 'provider', 'providers', 'tags', 'last_updated', 'kind'] as const),
  'document_sha256',
] as const
const COLUMNS = ['id', 'latest', 'document', 'vector', ...FACTS]
const TABLE = 'satchel.module_vectors'
const OWN = 'catalogue = $1 and collection = $2'

export function vectorRows(
  database: Database,
  { catalogue, collection }: { readonly catalogue: string; readonly collection: string },
): VectorRows {
  const own = [catalogue, collection]
  const query = (text: string, values: readonly SqlValue[] = []) => database.query(text, [...own, ...values])
  const extension = knownOnce(() => findExtension(database))
  return {
    extension,
    async header() {
      const [row] = await query(`select header from satchel.module_vector_stores where ${OWN}`)
      return row && parseHeader(JSON.parse(String(row['header'])), `${collection} of ${database.place}`)
    },
    async digests() {
      const rows = await query(`select id, document_sha256 from ${TABLE} where ${OWN}`)
      return new Map(rows.map((row) => [String(row['id']), String(row['document_sha256'])]))
    },
    async nearest(vector, filter, limit) {
      const schema = await extension()
      if (schema === undefined) return []
      const { where, values } = conditionsOf(filter, 5)
      const rows = await query(
        `select *, ${schema}.vector_send(vector) as bytes from (
           select * from ${TABLE} where ${OWN} and ${where}
           order by vector operator(${schema}.<=>) $3::${schema}.vector, id limit $4::integer) nearest`,
        [textOf(vector), limit, ...values],
      )
      return rows.map((row) => ({ ...recordOf(row), vector: vectorIn(row) }))
    },
    async list(filter) {
      const { where, values } = conditionsOf(filter, 3)
      const rows = await query(
        `select id, latest, document, ${FACTS} from ${TABLE} where ${OWN} and ${where} order by id`,
        values,
      )
      return rows.map(recordOf)
    },
    async count() {
      const [row] = await query(`select count(*) as count from ${TABLE} where ${OWN}`)
      return Number(row?.['count'])
    },
    ...changes(database, own, extension),
  }
}

function changes(database: Database, own: readonly string[], extension: () => Promise<string | undefined>) {
  /** Values from $4 on. */
  const write = (changed: string, values: readonly SqlValue[]) =>
    database.write(`changed as (${changed} returning 1)`, [...own, ...values])
  return {
    async putHeader(header: StoreHeader) {
      await write(
        `insert into satchel.module_vector_stores (catalogue, collection, header) values ($2, $3, $4)
         on conflict (catalogue, collection) do update set header = excluded.header`,
        [JSON.stringify(header)],
      )
    },
    async put(items: Iterable<VectorItem>) {
      const schema = await extension()
      for (const batch of chunks(items, BATCH_ITEMS)) {
        await write(
          `insert into ${TABLE} (catalogue, collection, ${COLUMNS})
           select $2, $3, id, latest = 't', decode(document, 'base64'), vector::${schema}.vector, ${FACTS}
           from unnest(${COLUMNS.map((_, at) => `$${at + 4}::text[]`)}) as given (${COLUMNS}) order by id
           on conflict (catalogue, collection, id) do update set
             ${COLUMNS.slice(1).map((column) => `${column} = excluded.${column}`)}`,
          listsOf(batch),
        )
      }
    },
    async remove(ids: readonly string[]) {
      for (const batch of chunks(ids, BATCH_IDS))
        await write(`delete from ${TABLE} where catalogue = $2 and collection = $3 and id = any($4)`, [batch])
    },
    async touch(touches: readonly Touch[]) {
      for (const batch of chunks(touches, BATCH_IDS))
        await write(
          `update ${TABLE} v set latest = given.latest = 't', last_updated = given.last_updated
           from unnest($4::text[], $5::text[], $6::text[]) as given (id, latest, last_updated)
           where v.catalogue = $2 and v.collection = $3 and v.id = given.id
             and (v.latest, v.last_updated) is distinct from (given.latest = 't', given.last_updated)`,
          [
            batch.map(({ id }) => id),
            batch.map(({ latest }) => flagOf(latest)),
            batch.map(({ last_updated }) => last_updated),
          ],
        )
    },
  }
}

/** Also makes the table where that is possible and was not done. */
async function findExtension(database: Database): Promise<string | undefined> {
  const [row] = await database.query('select satchel.module_vectors_ready() as schema')
  return typeof row?.['schema'] === 'string' ? row['schema'] : undefined
}

/** Asks until the answer is not undefined. */
function knownOnce<T>(ask: () => Promise<T | undefined>): () => Promise<T | undefined> {
  let known: T | undefined
  return async () => {
    known ??= await ask()
    return known
  }
}

function listsOf(items: readonly VectorItem[]): readonly (readonly string[])[] {
  return [
    items.map(({ id }) => id),
    items.map(({ metadata }) => flagOf(metadata.latest)),
    items.map(({ document }) => Buffer.from(document.bytes).toString('base64')),
    items.map(({ vector }) => textOf(vector)),
    ...FACTS.map((fact) => items.map(({ metadata }) => metadata[fact])),
  ]
}

function flagOf(isSo: boolean): string {
  return isSo ? 't' : 'f'
}

/** Digits that give each number back as it is. */
function textOf(vector: Float32Array): string {
  return `[${vector.join(',')}]`
}

/** What a filter says in SQL, with parameters from this number on. */
function conditionsOf({ providers, repositories, ref, kinds, latestOnly }: VectorFilter, first: number) {
  const conditions: string[] = latestOnly ? ['latest'] : []
  const values: SqlValue[] = []
  const add = (condition: string, value: SqlValue): void => {
    conditions.push(condition.replace('$', `$${first + values.push(value) - 1}`))
  }
  if (ref !== undefined) add('ref = $', ref)
  if (kinds) add('kind = any($)', kinds)
  if (repositories) add('repository = any($)', repositories)
  if (providers) add("(string_to_array(providers, ',') || provider) && $::text[]", providers)
  return { where: conditions.join(' and ') || 'true', values }
}

function recordOf(row: SqlRow): StoredRecord {
  const document = unpackText({ bytes: row['document'] as Buffer }) // a bytea column
  return { id: String(row['id']), document, metadata: keptMetadata(row) }
}

/** As pgvector sends a vector: two numbers of 16 bits, then its values. */
function vectorIn(row: SqlRow): Float32Array {
  const bytes = row['bytes'] as Buffer // a bytea column
  return Float32Array.from({ length: bytes.readUInt16BE(0) }, (_, at) => bytes.readFloatBE(4 + at * 4))
}

function* chunks<T>(values: Iterable<T>, size: number): Generator<readonly T[]> {
  let chunk: T[] = []
  for (const value of values) {
    chunk.push(value)
    if (chunk.length < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
