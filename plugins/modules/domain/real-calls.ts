/** Chooses among the calls that a repository makes of its own module. */
import { posix } from 'node:path'
import { checkInputs, type GivenBlock } from './check.ts'
import type { ModuleCode } from './module-code.ts'
import { isRepositoryOf, type ModuleSource, parseSource } from './module-source.ts'
import { compare } from './order.ts'
import type { ModuleSummary } from './summary.ts'
import { createSwitchedOff } from './switched-off.ts'

/** One call, in a file of the repository. */
export interface RealCall {
  /** Repository-relative. */
  readonly file: string
  readonly block: GivenBlock
  /** How many characters the block has. */
  readonly size: number
}

/** A call that switches off this part of a module shows little of how it is used. */
const MOSTLY_OFF = 0.5

/**
 * The calls of this module that can be copied, the one to show first: those that make nothing (`create = false`), or less
 * than half of the module, or that a check finds fault with are left out. Those that are made once (no `count`, no
 * `for_each`) come first, then those that switch off little, then those that give the inputs which most of the others
 * give, and of these the smallest.
 */
export function smallestCalls(
  calls: readonly RealCall[],
  module: Pick<ModuleSummary, 'repository' | 'path' | 'variables'>,
  code?: ModuleCode,
): readonly RealCall[] {
  const offIn = createSwitchedOff(module, code)
  const fitting = calls
    .filter(({ file, block }) => isOf(block, file, module) && !makesNothing(block, module))
    .map((call) => ({ call, off: offIn(call.block) }))
    .filter(({ off }) => off < MOSTLY_OFF)
    .filter(({ call: { block } }) =>
      checkInputs(block, module).every(({ code }) => code === 'deprecated_input'),
    )
  const lackedBy = createLacks(fitting.map(({ call }) => call))
  return fitting
    .map(({ call, off }) => ({
      call,
      rank: [Number(isRepeated(call)), Math.round(off * 10), lackedBy(call), call.size],
    }))
    .sort(
      ({ call: a, rank: [...ranks] }, { call: b, rank }) =>
        ranks.map((one, at) => one - (rank[at] ?? 0)).find((difference) => difference !== 0) ||
        compare(a.file, b.file) ||
        a.block.line - b.block.line,
    )
    .map(({ call }) => call)
}

/** How many of the inputs that most of the calls give a call does not. Two calls say nothing of what is usual. */
function createLacks(calls: readonly RealCall[]): (call: RealCall) => number {
  const given = new Map<string, number>()
  for (const { block } of calls)
    for (const name of namesIn(block)) given.set(name, (given.get(name) ?? 0) + 1)
  const usual = calls.length < 3 ? [] : [...given].filter(([, count]) => count * 2 > calls.length)
  return ({ block }) => {
    const own = namesIn(block)
    return usual.filter(([name]) => !own.has(name)).length
  }
}

function namesIn({ inputs }: GivenBlock): ReadonlySet<string> {
  return new Set(inputs.map(({ name }) => name))
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
