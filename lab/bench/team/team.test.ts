import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type PostgresServer, startPostgres } from '../../../test/postgres-server.ts'
import { moduleFigures } from './testing/module-figures.ts'
import { recordFigures } from './testing/record-figures.ts'
import { roomFigures } from './testing/room-figures.ts'
import { carried, lineOf, type TeamFigure } from './testing/team-figure.ts'

/** Sizes of a short run; docs/storage.md has the command of a long one. */
const SIZES = {
  records: sizeOf('TEAM_RECORDS', 300),
  versions: sizeOf('TEAM_VERSIONS', 60),
  repositories: sizeOf('TEAM_REPOSITORIES', 3),
  modules: sizeOf('TEAM_MODULES', 2),
  calls: sizeOf('TEAM_CALLS', 5),
  spanMs: sizeOf('TEAM_SPAN_MS', 200),
}

function sizeOf(name: string, short: number): number {
  return Number(process.env[name] ?? short)
}

const PARTS: Readonly<
  Record<string, (t: TestContext, server: PostgresServer) => Promise<readonly TeamFigure[]>>
> = {
  records: (t, server) => recordFigures(t, server, SIZES),
  modules: (t, server) => moduleFigures(t, server, SIZES),
  rooms: (t, server) => roomFigures(t, server, SIZES.calls),
}

/** `TEAM_PARTS`: some of them, with commas between. */
const WANTED = new Set(process.env['TEAM_PARTS']?.split(',') ?? Object.keys(PARTS))

for (const [part, measure] of Object.entries(PARTS).filter(([part]) => WANTED.has(part))) {
  test(`the ${part} of a team are measured beside their floors`, async (t) => {
    const server = await startPostgres(t)
    if (!server) return

    const figures = await measure(t, server)

    for (const figure of figures) {
      t.diagnostic(lineOf(figure))
      if (figure.unit === '/s' && figure.floor) t.diagnostic(`  ${paperOf(figure)}`)
      for (const value of [figure.ours, figure.floor?.value ?? 1])
        assert.ok(value > 0 && Number.isFinite(value))
    }
  })
}

function paperOf(figure: TeamFigure): string {
  return `on paper: ${[1, 3, 10].map((servers) => `${servers}: ${carried(servers, figure).toFixed(0)}/s`).join(', ')}`
}

test('on paper servers carry as much as they are, and at most what the database does', () => {
  const figure = { what: 'x', unit: '/s', ours: 50, floor: { what: 'y', value: 400 } } as const

  assert.deepEqual(
    [1, 3, 10].map((servers) => carried(servers, figure)),
    [50, 150, 400],
  )
})
