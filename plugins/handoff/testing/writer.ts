import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { isSatchelError } from '../../../server/plugin.ts'
import { createRecord } from '../actions/create-record.ts'
import { updateRecord } from '../actions/update-record.ts'
import { handoffConfig } from '../config.ts'
import { createHandoffs } from '../project.ts'
import { contextOf, SMALL, testHost } from './fixture.ts'

/**
 * A process that writes: `update ROOT ID COUNT LABEL` appends COUNT entries, `create ROOT KEY` makes a record with
 * an idempotency key; `continue ROOT ID` makes a child; `hold ROOT ID STATE` takes the lock, says `holding`, and writes STATE when it is told to go on.
 * Each acknowledged entry, or the reason of a refusal, is said on stdout, in one write.
 */
const [verb, root = '', name = '', count = '1', label = ''] = process.argv.slice(2)
const handoffs = createHandoffs(
  testHost(root, () => new Date()),
  handoffConfig.parse({}),
)
const ctx = contextOf(root)
const project = await handoffs.project(ctx, undefined)

/** Refusals that say: try again. */
const PASSING = ['etag_mismatch', 'locked']

const options = { captureGit: false, hashArtifacts: false, autoArtifacts: 'none', dryRun: false } as const

if (verb === 'continue') {
  const child = {
    authored: {},
    parent: name,
    relation: 'continue',
    options,
    idempotencyKey: undefined,
  } as const
  const { id } = await createRecord(ctx, project, child)
  writeSync(1, `${id}\n`)
} else if (verb === 'create') {
  const authored = { authored: SMALL, parent: 'none', options, idempotencyKey: name }
  await createOnce(authored)
} else if (verb === 'hold') {
  await hold(count)
} else {
  for (let number = 0; number < Number(count); number++) await append(`${label}-${number}`)
}

/** An update that waits under the lock. */
async function hold(state: string): Promise<void> {
  try {
    await project.store.update(name, undefined, async (current) => {
      writeSync(1, 'holding\n')
      await once(process.stdin, 'data')
      return current.document?.text.replace(SMALL.current_state, state)
    })
    writeSync(1, 'written\n')
  } catch (thrown) {
    sayRefusal(thrown)
  }
  process.stdin.destroy()
}

/** Retries while others hold the lock of the key. */
async function createOnce(request: Parameters<typeof createRecord>[2]): Promise<void> {
  for (;;) {
    try {
      const { id } = await createRecord(ctx, project, request)
      writeSync(1, `${id}\n`)
      return
    } catch (thrown) {
      if (!isSatchelError(thrown) || thrown.reason !== 'locked') return sayRefusal(thrown)
    }
  }
}

/** Reads and changes, and retries if another writer was faster or holds the lock. */
async function append(entry: string): Promise<void> {
  for (;;) {
    const stored = await project.store.read(name)
    if (stored?.kind !== 'record') throw new Error(`the record is ${stored?.kind ?? 'missing'}`)
    try {
      await updateRecord(project, {
        id: name,
        ifMatch: stored.etag,
        patch: undefined,
        append: { completed: [entry] },
      })
      writeSync(1, `${entry}\n`)
      return
    } catch (thrown) {
      if (!isSatchelError(thrown) || !PASSING.includes(thrown.reason)) return sayRefusal(thrown)
    }
  }
}

function sayRefusal(thrown: unknown): void {
  if (!isSatchelError(thrown)) throw thrown
  writeSync(1, `refused: ${thrown.code}/${thrown.reason}\n`)
}
