/** Version constraints as Terraform writes them: `>= 1.2, < 2.0`, `~> 3.1`. */

/** The numbers of a version, most significant first. Pre-release parts do not count. */
export type Version = readonly number[]

interface Clause {
  readonly operator: string
  readonly version: Version
  readonly prerelease?: string | undefined
}

const CLAUSE = /^(=|!=|>=|<=|>|<|~>)?\s*([v\d].*)$/
const NAMED =
  /^v?(\d{1,9}(?:\.\d{1,9}){0,3})(?:-([0-9A-Za-z~.-]+)|([A-Za-z~][0-9A-Za-z~.-]*))?(?:\+[0-9A-Za-z.~-]+)?$/

/** One constraint with every clause of these, each once; a single constraint unchanged; undefined for none. */
export function joinConstraints(constraints: readonly string[]): string | undefined {
  if (constraints.length < 2) return constraints[0]
  return [...new Set(constraints.flatMap((one) => one.split(',')).map((clause) => clause.trim()))].join(', ')
}

/** The lowest version that a constraint admits; `[0]` where nothing is excluded from below. */
export function floorOf(constraint: string): Version {
  const floors = clausesOf(constraint).filter(({ operator }) => ['=', '>=', '>', '~>'].includes(operator))
  return floors.reduce<Version>(
    (floor, { version }) => (compareVersions(version, floor) > 0 ? version : floor),
    [0],
  )
}

/** Whether a constraint admits a version; prereleases in it count as their releases. An unreadable clause admits everything. */
export function admits(constraint: string, version: Version): boolean {
  return clausesOf(constraint).every((clause) => fits(clause, version))
}

/**
 * Of what has versions as names, the newest that Terraform chooses by a constraint: a prerelease only by its exact version,
 * never by a range. Build metadata does not count.
 */
export function newestAdmitted<Named>(
  constraint: string,
  all: readonly Named[],
  nameOf: (one: Named) => string,
): Named | undefined {
  const clauses = clausesOf(constraint)
  const admitted = all.flatMap((one) => {
    const named = parseNamed(nameOf(one))
    return named !== undefined && isChosen(named, clauses) ? [{ one, version: named.version }] : []
  })
  return admitted.sort((a, b) => compareVersions(b.version, a.version))[0]?.one
}

function isChosen(named: NamedVersion, clauses: readonly Clause[]): boolean {
  if (named.prerelease === undefined)
    return clauses.every(
      (clause) =>
        canBeRelease(clause, named.version) &&
        fits(clause, named.version, clause.prerelease === undefined ? 0 : 1),
    )
  const isSame = (clause: Clause): boolean =>
    clause.prerelease === named.prerelease && compareVersions(clause.version, named.version) === 0
  return (
    clauses.some(({ operator }) => operator === '=') &&
    clauses.every((clause) =>
      clause.operator === '!=' ? !isSame(clause) : clause.operator === '=' && isSame(clause),
    )
  )
}

/** `~>` with a prerelease admits no release, and with four parts none of three. */
function canBeRelease({ operator, prerelease, version }: Clause, release: Version): boolean {
  return operator !== '~>' || (prerelease === undefined && version.length <= Math.max(3, release.length))
}

/**
 * Whether some version satisfies all constraints. The lowest version that they admit is looked at, and the next one above:
 * Terraform's operators exclude single versions and everything above or below a bound.
 */
export function admitTogether(constraints: readonly string[]): boolean {
  const floor = constraints.map(floorOf).reduce((a, b) => (compareVersions(a, b) >= 0 ? a : b), [0])
  const padded = [...floor, 0, 0, 0].slice(0, Math.max(3, floor.length))
  const candidates = [floor, ...Array.from({ length: MAX_EXCLUDED }, (_, at) => [...padded, at + 1])]
  return candidates.some((version) => constraints.every((one) => admits(one, version)))
}

/** Versions that `!=` may exclude one after the other. */
const MAX_EXCLUDED = 3

/**
 * Whether `now` refuses a version that `old` admits. Both change what they say only at their bounds, so the bounds and
 * the versions beside them are looked at.
 */
export function refusesMore(old: string, now: string): boolean {
  const bounds = [...clausesOf(old), ...clausesOf(now)].flatMap(({ version }) => around(version))
  return [[0], ...bounds, [LARGE]].some((version) => admits(old, version) && !admits(now, version))
}

/** More than any part of a version. */
const LARGE = 1e9

/** A version, those just above and just below it, and where a `~>` of it ends. */
function around(version: Version): Version[] {
  const padded = [...version, 0, 0].slice(0, Math.max(3, version.length))
  const last = padded.findLastIndex((part) => part > 0)
  const tail = padded.slice(last + 1).map(() => LARGE)
  const below = last === -1 ? [] : [[...padded.slice(0, last), (padded[last] ?? 0) - 1, ...tail, LARGE]]
  const ends = version.map((part, at) => [...version.slice(0, at), part + 1])
  return [version, [...padded, 1], ...below, ...ends]
}

/** The numbers in a version text like `v1.2.3`, or undefined for a pre-release or any other text. */
export function parseVersion(text: string): Version | undefined {
  const numbers = /^v?(\d{1,9}(?:\.\d{1,9}){0,3})(?:\+[0-9A-Za-z.-]+)?$/.exec(text)?.[1]
  return numbers?.split('.').map(Number)
}

interface NamedVersion {
  readonly version: Version
  readonly prerelease?: string | undefined
}

/** As `parseVersion`, with the prerelease. */
function parseNamed(text: string): NamedVersion | undefined {
  const [, numbers, prerelease, unhyphened] = NAMED.exec(text) ?? []
  return numbers === undefined
    ? undefined
    : { version: numbers.split('.').map(Number), prerelease: prerelease ?? unhyphened }
}

/** Below 0 when `a` is lower; missing parts are 0. */
export function compareVersions(a: Version, b: Version): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function clausesOf(constraint: string): Clause[] {
  return constraint.split(',').flatMap((part) => {
    const [, operator = '=', text = ''] = CLAUSE.exec(part.trim()) ?? []
    const named = parseNamed(text)
    return named === undefined ? [] : [{ operator, ...named }]
  })
}

const COMPARISONS = new Map<string, (order: number) => boolean>([
  ['=', (order) => order === 0],
  ['!=', (order) => order !== 0],
  ['>=', (order) => order >= 0],
  ['<=', (order) => order <= 0],
  ['>', (order) => order > 0],
  ['<', (order) => order < 0],
])

/** `whenEqual`: the order where the numbers are equal, 1 for a release beside a prerelease of it. */
function fits({ operator, version: bound }: Clause, version: Version, whenEqual = 0): boolean {
  const order = compareVersions(version, bound) || whenEqual
  const comparison = COMPARISONS.get(operator)
  if (comparison !== undefined) return comparison(order)
  // `~> 1.2` lets the last stated part grow: below 2; `~> 1.2.3` below 1.3.
  const fixed = bound.slice(0, Math.max(1, bound.length - 1))
  return order >= 0 && fixed.every((part, at) => (version[at] ?? 0) === part)
}
