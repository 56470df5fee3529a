import type { TestContext } from 'node:test'
import { lacksPackage } from './optional-package.ts'

/** By their names, because their types are not everywhere: see test/peers. */
const NAMES = ['@electric-sql/pglite', '@electric-sql/pglite-pgvector', '@electric-sql/pglite-socket']

/**
 * A PostgreSQL in this process (PGlite) that has pgvector, which Debian's packages do not have; undefined where it is not
 * installed. It ends with the test. All connections are one session of it.
 */
export async function startPgvector(t: TestContext): Promise<{ readonly url: string } | undefined> {
  if (await lacksPackage(t, '@electric-sql/pglite')) return undefined
  const [{ PGlite }, { vector }, { PGLiteSocketServer }] = await Promise.all(
    NAMES.map((name) => import(name)),
  )
  const db = await PGlite.create({ extensions: { vector } })
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: 20 })
  await server.start()
  t.after(async () => {
    await server.stop()
    await db.close()
  })
  return { url: `postgres://postgres:postgres@${server.getServerConn()}/postgres` }
}
