/** What changed for the users of a module between two of its refs. */
import { CHANGE_CLASSES, type Change, type ChangeClass, change } from './change.ts'
import { codeChanges } from './diff-code.ts'
import { interfaceChanges } from './diff-interface.ts'
import { forgottenAddresses, type ModuleCode } from './module-code.ts'
import type { ModuleSummary } from './summary.ts'

/** A module at one ref; without its code the verdict is never `patch` or `none`. */
export interface ModuleVersion {
  readonly summary: ModuleSummary
  readonly code: ModuleCode | undefined
}

/** The changes from worst to least, and the worst class as verdict; `none` only for equal code and texts. */
export interface ModuleDiff {
  readonly verdict: ChangeClass | 'none'
  readonly changes: readonly Change[]
}

/** Compares two versions of one module; pure. */
export function diffModules(before: ModuleVersion, after: ModuleVersion): ModuleDiff {
  const forgotten = forgottenAddresses(after.code ?? { blocks: [] })
  const shown = interfaceChanges(before.summary, after.summary, forgotten)
  const changes = [...shown, ...hiddenChanges(before, after, shown)]
  const ordered = CHANGE_CLASSES.flatMap((rank) => changes.filter((one) => one.class === rank))
  return { verdict: ordered[0]?.class ?? 'none', changes: ordered }
}

function hiddenChanges(before: ModuleVersion, after: ModuleVersion, shown: readonly Change[]): Change[] {
  const lacking = [before, after].find(({ code }) => code === undefined)
  if (before.code !== undefined && after.code !== undefined) {
    const sides = { summary: after.summary, before: before.code, after: after.code }
    return codeChanges(sides, shown)
  }
  const message = `The code of ${lacking?.summary.ref} is not stored, so it was not compared: ingest it again.`
  return [change('review', 'code_unknown', 'module', message)]
}
