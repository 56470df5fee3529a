import { writeSync } from 'node:fs'
import { createRecord } from '../plugins/handoff/actions/create-record.ts'
import { updateRecord } from '../plugins/handoff/actions/update-record.ts'
import { handoffConfig } from '../plugins/handoff/config.ts'
import { createHandoffs } from '../plugins/handoff/project.ts'
import { isSatchelError } from '../server/plugin.ts'
import { contextOf, SMALL, testHost } from './handoff-fixture.ts'

/**
 * A process that writes: `update ROOT ID COUNT LABEL` appends COUNT entries, `create ROOT KEY` makes a record with
 * an idempotency key. Each acknowledged entry is said on stdout, in one write.
 */
const [verb, root = '', name = '', count = '1', label = ''] = process.argv.slice(2)
const handoffs = createHandoffs(
  testHost(root, () => new Date()),
  handoffConfig.parse({}),
)
const ctx = contextOf(root)
const project = await handoffs.project(ctx, undefined)

if (verb === 'create') {
  const options = { captureGit: false, hashArtifacts: false, autoArtifacts: 'none', dryRun: false } as const
  const created = await createRecord(handoffs, ctx, project, {
    authored: SMALL,
    parent: 'none',
    options,
    idempotencyKey: name,
  })
  writeSync(1, `${created.id}\n`)
} else {
  for (let number = 0; number < Number(count); number++) await append(`${label}-${number}`)
}

/** Read, change, and again when somebody else was faster: what a careful client does. */
async function append(entry: string): Promise<void> {
  for (;;) {
    const stored = await project.store.read(name)
    if (stored?.kind !== 'record') throw new Error(`the record is ${stored?.kind ?? 'gone'}`)
    try {
      await updateRecord(handoffs, project, {
        id: name,
        ifMatch: stored.etag,
        patch: undefined,
        append: { completed: [entry] },
      })
      writeSync(1, `${entry}\n`)
      return
    } catch (thrown) {
      if (!isSatchelError(thrown) || thrown.reason !== 'etag_mismatch') throw thrown
    }
  }
}
