/** Chooses among the calls that a repository makes of its own module. */
import { posix } from 'node:path'
import { checkInputs, type GivenBlock } from './check.ts'
import { isRepositoryOf, type ModuleSource, parseSource } from './module-source.ts'
import { compare } from './order.ts'
import type { ModuleSummary } from './summary.ts'

/** One call, in a file of the repository. */
export interface RealCall {
  /** Repository-relative. */
  readonly file: string
  readonly block: GivenBlock
  /** How many characters the block has. */
  readonly size: number
}

/**
 * The calls of this module that can be copied, smallest first: those that make nothing (`create = false`) or that a check
 * finds fault with are left out, and those that are made once come before those with `count` or `for_each`.
 */
export function smallestCalls(
  calls: readonly RealCall[],
  module: Pick<ModuleSummary, 'repository' | 'path' | 'variables'>,
): readonly RealCall[] {
  return calls
    .filter(({ file, block }) => isOf(block, file, module) && !makesNothing(block, module))
    .filter(({ block }) => checkInputs(block, module).every(({ code }) => code === 'deprecated_input'))
    .sort(
      (a, b) =>
        Number(isRepeated(a)) - Number(isRepeated(b)) ||
        a.size - b.size ||
        compare(a.file, b.file) ||
        a.block.line - b.block.line,
    )
}

function isOf(
  { source }: GivenBlock,
  file: string,
  { repository, path }: Pick<ModuleSummary, 'repository' | 'path'>,
): boolean {
  const text = source?.text ?? ''
  const parsed = parseSource(text)
  if (parsed.kind === 'local') return calledPath(file, text) === path
  return isNamed(parsed) && parsed.path === path && isRepositoryOf(parsed, repository)
}

function isNamed(source: ModuleSource): source is ModuleSource & { readonly kind: 'git' | 'registry' } {
  return source.kind === 'git' || source.kind === 'registry'
}

/** The directory that a local source leads to, `.` for the root; undefined for one outside of the repository. */
function calledPath(file: string, source: string): string | undefined {
  const path = posix.normalize(posix.join(posix.dirname(file), source)).replace(/\/+$/, '')
  return path.startsWith('..') ? undefined : path
}

/** Modules take `create`, `enabled` or `create_vpc` to be switched off, and their examples show that too. */
function makesNothing({ inputs }: GivenBlock, module: Pick<ModuleSummary, 'repository' | 'path'>): boolean {
  const switches = switchesOf(module)
  return inputs.some(
    ({ name, value }) => switches.has(name) && value.kind === 'literal' && value.value === false,
  )
}

/**
 * `create_s3_bucket` and `create_bucket` of `terraform-aws-s3-bucket`, beside the names that every module may use. The
 * address of a registry has the name before the provider.
 */
function switchesOf({ repository, path }: Pick<ModuleSummary, 'repository' | 'path'>): ReadonlySet<string> {
  const parts = path === '.' ? repository.split('/').slice(-2) : [posix.basename(path)]
  const things = parts.flatMap((part) => {
    const words = part.replace(/\.git$|^terraform-[a-z]+-/g, '').split(/[-_]/)
    return words.map((_, at) => words.slice(at).join('_'))
  })
  return new Set(['create', 'enable', 'enabled', ...things.map((thing) => `create_${thing}`)])
}

function isRepeated({ block }: RealCall): boolean {
  return block.meta?.has('count') === true || block.meta?.has('for_each') === true
}
