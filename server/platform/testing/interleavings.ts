import { basename, dirname } from 'node:path'
import type { Disk, FileFacts } from '../disk.ts'

/** What processes share: the files of one disk, and which of the processes have ended. A value; never changed. */
export interface World {
  /** Path to file. */
  readonly names: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, { readonly content: string; readonly writes: number }>>
  readonly directories: readonly string[]
  /** Whether the file system has hard links. */
  readonly hasLinks: boolean
  readonly ended: readonly number[]
  /** The processes that are between `enter` and `leave`, and how often one entered. */
  readonly inside: readonly number[]
  readonly entered: number
}

/** The calls of one process. Each waits until the explorer makes it, also those that are synchronous. */
export interface Steps {
  readonly disk: Disk
  isRunning(pid: number): boolean
  /** Marks the part that only one process may be in at a time. */
  enter(): Promise<void>
  leave(): Promise<void>
  /** Notes a broken promise. */
  fault(text: string): void
}

export interface Scene {
  readonly world: World
  /** Process ids, each at work with its own `steps`. */
  readonly processes: readonly number[]
  /**
   * What each process does: the same, but for its id, and decided only by the answers of its calls, because it is run
   * again for each of them.
   */
  run(process: number, steps: Steps): Promise<void>
  /** How many of the processes may be killed, at any of their calls. */
  readonly deaths?: number
}

export interface Exploration {
  readonly states: number
  /** The first broken promise, and the calls that lead to it. */
  readonly failure?: { readonly fault: string; readonly calls: readonly string[] }
}

interface Call {
  readonly name: string
  readonly given: readonly string[]
}
type Answer = { readonly value: unknown } | { readonly code: string }

/** A process after the answers it got so far. */
interface Place {
  readonly id: number
  readonly answers: readonly Answer[]
  readonly next: Call | 'end'
  readonly faults: readonly string[]
  readonly after: Map<string, Place>
}

interface State {
  readonly world: World
  readonly places: readonly Place[]
  readonly from?: { readonly state: State; readonly call: string }
}

/**
 * Runs the processes in every order of their calls. A process is run again from its start with the answers it got, up
 * to its next call, so it can be stopped at a synchronous call too. States that were reached before are not followed
 * again. Calls that concern no other process are made without a choice.
 */
export async function explore(scene: Scene): Promise<Exploration> {
  const seen = new Set<string>()
  const arrive = arrivals(scene)
  const begun = await Promise.all(scene.processes.map((process) => arrive(process, [])))
  const open: State[] = [{ world: scene.world, places: begun }]
  for (let state = open.pop(); state; state = open.pop()) {
    const key = `${state.places.map(({ id }) => id)} ${worldKey(state.world)}`
    if (seen.has(key)) continue
    seen.add(key)
    const fault = faultOf(scene, state)
    if (fault !== undefined) return { states: seen.size, failure: { fault, calls: callsTo(state) } }
    open.push(...(await successors(scene, state, arrive)))
  }
  return { states: seen.size }
}

type Arrive = (process: number, answers: readonly Answer[], before?: Place) => Promise<Place>

/** Gives the place of a process after these answers; each is computed once. */
function arrivals(scene: Scene): Arrive {
  let places = 0
  return async (process, answers, before) => {
    const key = JSON.stringify(answers.at(-1))
    const known = before?.after.get(key)
    if (known) return known
    const { next, faults } = await runTo(scene, process, answers)
    places += 1
    const place = { id: places, answers, next, faults, after: new Map() }
    before?.after.set(key, place)
    return place
  }
}

async function successors(scene: Scene, state: State, arrive: Arrive): Promise<readonly State[]> {
  // The processes do the same, so each order is one in which they begin by their number, under other numbers.
  const first = state.places.findIndex(({ answers }) => answers.length === 0)
  const active = scene.processes.flatMap((process, at) => {
    const place = state.places[at]
    const isActive = place && (first < 0 || at <= first) && !state.world.ended.includes(process)
    return isActive && place.next !== 'end' ? [{ process, at, place, call: place.next }] : []
  })
  const alone = active.find(({ call }) => isPrivate(scene, call))
  const found: State[] = []
  for (const { process, at, place, call } of alone ? [alone] : active) {
    const [world, answer] = answerTo(state.world, process, call)
    const after = await arrive(process, [...place.answers, answer], place)
    const from = { state, call: `${process}: ${call.name} ${call.given.join(' ')}` }
    found.push({ world, places: state.places.with(at, after), from })
    if (alone || state.world.ended.length >= (scene.deaths ?? 0)) continue
    found.push({ ...state, world: killed(state.world, process), from: { state, call: `${process}: dies` } })
  }
  return found
}

/** A call that no other process notices and whose answer depends on none. */
function isPrivate({ deaths = 0, world }: Scene, { name, given: [path = ''] }: Call): boolean {
  if (name === 'isRunning') return deaths === 0
  if (name === 'statSync' && world.directories.includes(path)) return true
  if (name === 'enter' || name === 'closeSync' || name === 'syncDirectory') return true
  return isTemporary(path) && name !== 'link' && name !== 'rename'
}

function killed(world: World, process: number): World {
  const inside = world.inside.filter((found) => found !== process)
  return { ...world, ended: [...world.ended, process], inside }
}

function faultOf(scene: Scene, { world, places }: State): string | undefined {
  if (world.inside.length > 1) return `${world.inside.join(' and ')} hold the lock`
  const [fault] = places.flatMap(({ faults }) => faults)
  if (fault !== undefined) return fault
  const isOver = places.every(({ next }) => next === 'end')
  return isOver && world.ended.length === 0 && world.entered === 0 && scene.processes.length > 0
    ? 'no process took the lock'
    : undefined
}

function worldKey({ names, files, ended, inside, entered }: World): string {
  const held = Object.keys(names).sort()
  return JSON.stringify([
    held.map((name) => [name, names[name], files[names[name] ?? '']]),
    ended,
    inside,
    entered,
  ])
}

function callsTo({ from }: State): readonly string[] {
  return from ? [...callsTo(from.state), from.call] : []
}

/** Thrown where a synchronous call has no answer yet. What the code makes of it is of no account. */
class Stopped extends Error {}

/** Runs a process with these answers up to the call that has none. */
function runTo(
  scene: Scene,
  process: number,
  answers: readonly Answer[],
): Promise<{ readonly next: Call | 'end'; readonly faults: readonly string[] }> {
  return new Promise((resolve, reject) => {
    const names = stableNames(process)
    const faults: string[] = []
    let made = 0
    const make = (name: string, given: readonly unknown[]): Answer | undefined => {
      const call = { name, given: given.map((value) => names.out(textOf(value))) }
      const answer = answers[made]
      made += 1
      if (!answer) resolve({ next: call, faults: [...faults] })
      return answer
    }
    const now = (name: string, ...given: readonly unknown[]): never => {
      const answer = make(name, given)
      if (!answer) throw new Stopped()
      return deliver(answer, name, names) as never // `answerTo` gives what each call does
    }
    const later = async (name: string, ...given: readonly unknown[]): Promise<never> => {
      const answer = make(name, given)
      return answer ? (deliver(answer, name, names) as never) : new Promise<never>(() => {})
    }
    const steps: Steps = {
      disk: diskOf(now, later),
      isRunning: (pid) => now('isRunning', pid),
      enter: () => later('enter'),
      leave: () => later('leave'),
      fault: (text) => faults.push(text),
    }
    scene.run(process, steps).then(() => resolve({ next: 'end', faults }), reject)
  })
}

function diskOf(
  now: (name: string, ...given: readonly unknown[]) => never,
  later: (name: string, ...given: readonly unknown[]) => Promise<never>,
): Disk {
  const sync =
    (name: string) =>
    (...given: readonly unknown[]) =>
      now(name, ...given)
  const soon =
    (name: string) =>
    (...given: readonly unknown[]) =>
      later(name, ...given)
  return {
    stat: soon('statSync'),
    statSync: sync('statSync'),
    stamp: soon('stamp'),
    readFile: soon('readFileSync'),
    readFileSync: sync('readFileSync'),
    readPart: soon('readFileSync'),
    appendSync: (path, text) => {
      now('create', path)
      now('fill', path, text)
    },
    openSync: sync('openSync'),
    openToReadSync: sync('openSync'),
    sizeSync: sync('sizeSync'),
    readSync: sync('readSync'),
    writeSync: sync('writeSync'),
    truncateSync: sync('truncateSync'),
    flush: soon('closeSync'),
    flushSync: sync('closeSync'),
    closeSync: sync('closeSync'),
    // Another process may see the file between these two.
    create: async (path, content) => {
      await later('create', path)
      if (content.length > 0) await later('fill', path, content)
    },
    createSync: (path, content) => {
      now('create', path)
      if (content.length > 0) now('fill', path, content)
    },
    list: soon('list'),
    mkdir: soon('mkdir'),
    rename: soon('rename'),
    link: soon('link'),
    unlink: soon('unlink'),
    syncDirectory: soon('syncDirectory'),
    syncDirectorySync: sync('syncDirectory'),
  }
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : String(value)
}

interface Names {
  out(text: string): string
  back(text: string): string
}

/** What a process draws by chance has one name in all its runs: temporary files and nonces. */
function stableNames(process: number): Names {
  const drawn: string[] = []
  const stable = (at: number): string => `"nonce":"${process}-${at}"`
  const nonce = (raw: string): string => {
    if (!/^"nonce":"\d+-\d+"$/.test(raw) && !drawn.includes(raw)) drawn.push(raw)
    return drawn.includes(raw) ? stable(drawn.indexOf(raw)) : raw
  }
  return {
    out: (text) =>
      text.replace(/\.tmp-\d+-[0-9a-f]{12}/g, `.tmp-${process}`).replace(/"nonce":"[^"]+"/g, nonce),
    back: (text) => drawn.reduce((found, raw, at) => found.replaceAll(stable(at), raw), text),
  }
}

function deliver(answer: Answer, syscall: string, names: Names): unknown {
  if ('code' in answer) throw Object.assign(new Error(`${answer.code}: ${syscall}`), { ...answer, syscall })
  if (syscall === 'readFileSync') return Buffer.from(names.back(String(answer.value)))
  return answer.value
}

function isTemporary(path: string): boolean {
  return basename(path).startsWith('.tmp-')
}

type Outcome = readonly [World, Answer]

/** Makes one call of `process`. */
function answerTo(world: World, process: number, { name, given }: Call): Outcome {
  const [path = '', second = ''] = given
  const file = world.names[path]
  const others = world.inside.filter((found) => found !== process)
  const calls: Record<string, () => Outcome> = {
    isRunning: () => [world, { value: !world.ended.includes(Number(path)) }],
    enter: () => [{ ...world, inside: [...world.inside, process], entered: 1 }, NOTHING],
    leave: () => [{ ...world, inside: others }, NOTHING],
    statSync: () => [world, { value: factsOf(world, path) }],
    list: () => [world, { value: namesIn(world, path) }],
    closeSync: () => [world, NOTHING],
    syncDirectory: () => [world, NOTHING],
    create: () => (file === undefined ? created(world, path, process) : refused(world, 'EEXIST')),
    truncateSync: () => [written(world, path, ''), NOTHING],
    writeSync: () => [written(world, path, second), NOTHING],
  }
  const call = calls[name]
  if (call) return call()
  return file === undefined ? refused(world, 'ENOENT') : answerOf(world, file, { name, given })
}

/** A call of a file that exists. */
function answerOf(world: World, file: string, { name, given: [path = '', second = ''] }: Call): Outcome {
  const calls: Record<string, () => Outcome> = {
    readFileSync: () => [world, { value: world.files[file]?.content }],
    openSync: () => [world, { value: file }],
    fill: () => [written(world, file, second), NOTHING],
    unlink: () => [named(world, { [path]: undefined }), NOTHING],
    rename: () => [named(world, { [path]: undefined, [second]: file }), NOTHING],
    link: () => linked(world, file, second),
  }
  const call = calls[name]
  if (!call) throw new Error(`The explorer does not know ${name}`)
  return call()
}

function linked(world: World, file: string, path: string): Outcome {
  if (!world.hasLinks) return refused(world, 'EPERM')
  return path in world.names ? refused(world, 'EEXIST') : [named(world, { [path]: file }), NOTHING]
}

const NOTHING: Answer = { value: undefined }

function refused(world: World, code: string): Outcome {
  return [world, { code }]
}

function factsOf({ names, files, directories }: World, path: string): FileFacts | undefined {
  if (directories.includes(path))
    return { kind: 'directory', size: 0, mode: 0o700, inode: path, modifiedMs: 0 }
  const inode = names[path]
  if (inode === undefined) return undefined
  const { content = '', writes = 0 } = files[inode] ?? {}
  return { kind: 'file', size: content.length, mode: 0o600, inode, modifiedMs: writes }
}

/** Temporary files of others are left out: they decide nothing. */
function namesIn({ names }: World, directory: string): readonly string[] {
  const inside = Object.keys(names).filter((path) => dirname(path) === directory && !isTemporary(path))
  return inside.map((path) => basename(path)).sort()
}

/** Numbers of files do not depend on what other processes do. */
function created(world: World, path: string, process: number): Outcome {
  const made = Object.keys(world.files).filter((file) => file.startsWith(`${process}.`)).length
  const file = `${process}.${made}`
  const files = { ...world.files, [file]: { content: '', writes: 0 } }
  return [named({ ...world, files }, { [path]: file }), NOTHING]
}

function written(world: World, file: string, content: string): World {
  const writes = (world.files[file]?.writes ?? 0) + 1
  return { ...world, files: { ...world.files, [file]: { content, writes } } }
}

function named(world: World, set: Readonly<Record<string, string | undefined>>): World {
  const kept = Object.entries({ ...world.names, ...set }).flatMap(([path, file]) =>
    file === undefined ? [] : [[path, file] as const],
  )
  return { ...world, names: Object.fromEntries(kept) }
}
