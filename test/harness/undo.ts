import type { TestContext } from 'node:test'

type Undo = () => unknown

const UNDOS = new WeakMap<TestContext, Undo[]>()

/**
 * Undoes something after the test, the last thing first: `after` of the context keeps the order in which its hooks were
 * given, so a folder would go while processes still write to it, and its failure would leave them running.
 */
export function undoAfter(t: TestContext, undo: Undo): void {
  const known = UNDOS.get(t)
  if (known) return void known.push(undo)
  const undos = [undo]
  UNDOS.set(t, undos)
  t.after(async () => {
    for (const next of undos.reverse()) await next()
  })
}
