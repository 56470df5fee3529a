import type { ModuleFacts } from './module-facts.ts'
import type { Diagnostic, ModuleKind, RefKind } from './summary.ts'

/**
 * One directory at one commit, its files already parsed.
 * `summarize(input: SummaryInput): ModuleSummary` (summarize.ts) is pure and gives the same summary for the same input.
 * Files come from `parseModuleFile(name, bytes, reference)` (hcl/parse-file.ts), whose result may be cached by blob id,
 * flavour and `PARSER_VERSION`.
 */
export interface SummaryInput {
  /** URL without userinfo. */
  readonly repository: string
  readonly ref: string
  readonly refKind: RefKind
  readonly commit: string
  /** Directory inside the repository, `.` for its root. */
  readonly path: string
  /** Configured name, else the URL's last part without `.git`. */
  readonly name: string
  readonly kind: ModuleKind
  /** Every module file of the directory, in any order; `.tofu` twins and overrides are sorted out here. */
  readonly files: readonly { readonly name: string; readonly facts: ModuleFacts }[]
  /** The blob that `findReadme` (readme.ts) chose among the directory's regular files, at most 256 KiB of it. */
  readonly readme?: { readonly name: string; readonly bytes: Uint8Array; readonly size: number }
  /** Candidates that `findLicences` (licence.ts) chose: the directory's own first, then the repository root's. */
  readonly licences?: readonly Uint8Array[]
  /** What the reading of the tree found (`symlink_skipped`, `blob_missing`, `file_too_large`). */
  readonly diagnostics?: readonly Diagnostic[]
}
