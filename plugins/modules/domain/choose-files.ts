import type { ModuleFacts } from './module-facts.ts'
import { tofuTwin } from './module-files.ts'
import type { Diagnostic } from './summary.ts'

/** A file of a module directory with its facts. */
export interface FileFacts {
  readonly name: string
  readonly facts: ModuleFacts
}

/** The files that count, in byte order of their names: a `.tf` file does not when its `.tofu` twin is there. */
export function chooseFiles(files: readonly FileFacts[]): { files: FileFacts[]; diagnostics: Diagnostic[] } {
  const names = new Set(files.map(({ name }) => name))
  const diagnostics: Diagnostic[] = []
  const chosen = files.filter(({ name }) => {
    const twin = tofuTwin(name)
    if (twin === undefined || !names.has(twin)) return true
    diagnostics.push({
      severity: 'warning',
      code: 'tofu_replaces_tf',
      message: `${twin} is read instead of ${name}, as OpenTofu does; Terraform reads ${name}.`,
      file: name,
    })
    return false
  })
  return {
    files: chosen.sort(byBytes),
    diagnostics: diagnostics.sort((a, b) => ((a.file ?? '') < (b.file ?? '') ? -1 : 1)),
  }
}

function byBytes(a: FileFacts, b: FileFacts): number {
  return Buffer.compare(Buffer.from(a.name), Buffer.from(b.name))
}
