import type { CallAnswer, OwnedTool } from './call.ts'
import type { Principal } from './contract/advanced/principal.ts'
import type { CallContext, Log } from './contract/context.ts'
import { isSatchelError } from './contract/errors.ts'
import type { Host, PluginInstance } from './contract/plugin.ts'
import { createEvidenceKinds } from './evidence.ts'
import { createFind } from './find.ts'
import { within } from './platform/within.ts'
import { BUILT_IN, type PluginEntry } from './plugin-entry.ts'
import { labelledLog } from './plugin-log.ts'
import { refusals } from './refusals.ts'
import type { Owned } from './registry.ts'

/** Finds a name that the host or a built-in plugin has. */
export type TakenByHost = (
  instance: PluginInstance,
) => Promise<{ readonly name: string; readonly owner: string } | undefined>

/** Time for `setup`, which only builds declarations. */
const SETUP_LIMIT_MS = 10_000

/**
 * Sets up one plugin. `takenByHost` finds a name that is not free; absent: none is looked for.
 * Errors: its own refusal, `unavailable`/`plugin_setup_timeout`, `internal`/`plugin_setup` naming its source,
 * `invalid`/`plugin_shape`, `conflict`/`name_taken`.
 */
export async function setUp(
  entry: PluginEntry,
  host: Host,
  takenByHost?: TakenByHost,
): Promise<PluginInstance> {
  try {
    const { name: plugin } = entry.plugin
    const late = () => refusals.plugin_setup_timeout({ plugin, seconds: SETUP_LIMIT_MS / 1000 })
    const own: Host = { ...host, log: labelledLog(host.log, { plugin }) }
    const instance = await within(SETUP_LIMIT_MS, late, () => entry.plugin.setup(own, entry.config))
    if (entry.source !== BUILT_IN) await requireLent(entry, instance, own, takenByHost)
    return instance
  } catch (thrown) {
    if (isSatchelError(thrown)) throw thrown
    throw refusals.plugin_setup(
      { plugin: entry.plugin.name, source: entry.source },
      { cause: thrown ?? String(thrown) },
    )
  }
}

/** Loaded only for plugins of others: a server without one starts without this code. */
async function requireLent(
  { plugin: { name: plugin }, source }: PluginEntry,
  instance: PluginInstance,
  { log, verb }: Host,
  takenByHost: TakenByHost | undefined,
): Promise<void> {
  const { requireLentShape } = await import('./plugin-shape.ts')
  requireLentShape(plugin, source, instance)
  const taken = await takenByHost?.(instance)
  if (taken) {
    const details = { name: taken.name, owners: [taken.owner, plugin] }
    throw refusals.name_of_host({ plugin, source, ...taken }, { details })
  }
  // A person who runs a verb of it did not write it.
  if (verb !== undefined) return
  const { unreadDeclarations } = await import('./unread-declarations.ts')
  for (const detail of unreadDeclarations(instance))
    log.warn('a plugin declares what nothing reads', { detail })
}

/** The user of this process. */
const LOCAL: Principal = { id: 'local', kind: 'local', capabilities: [] }

interface Parts {
  readonly log: Log
  /** See `HostOptions`. */
  readonly others: (() => Promise<readonly PluginEntry[]>) | undefined
  readonly signal: AbortSignal
  /** The plugins that are set up, in order; others are added to it. */
  readonly ready: Owned<'instance', PluginInstance>[]
  setUp(entry: PluginEntry): Promise<PluginInstance>
  /** Runs a tool for the user of this process. */
  call(owned: OwnedTool, input: unknown, ctx: CallContext): Promise<CallAnswer>
}

/** What plugins give one another through the host. A process that runs one verb sets up other plugins when they are needed. */
export function servicesOf(parts: Parts): Pick<Host, 'evidence' | 'callTool' | 'find'> {
  const { log, signal, ready } = parts
  let added: Promise<void> | undefined
  const addOthers = async (): Promise<void> => {
    added ??= setUpOthers(parts)
    await added
  }
  const findTool = (name: string): OwnedTool | undefined => {
    for (const { plugin, instance } of ready) {
      const tool = instance.tools?.find((one) => one.name === name)
      if (tool) return { tool, plugin }
    }
    return undefined
  }
  return {
    async callTool(name, input, ctx) {
      if (!findTool(name)) await addOthers()
      const owned = findTool(name)
      if (!owned) return undefined
      const answer = await parts.call(owned, input, { ...ctx, principal: LOCAL, acceptsTask: false })
      return answer.kind === 'done' ? answer.data : { task: answer.task }
    },
    find: createFind({
      log,
      async searchers() {
        await addOthers()
        return ready.flatMap(({ plugin, instance }) =>
          (instance.searchers ?? []).map((searcher) => ({ searcher, plugin })),
        )
      },
    }),
    evidence: createEvidenceKinds({
      log,
      signal,
      async kinds(more) {
        if (more) await addOthers()
        return ready.flatMap(({ plugin, instance }) =>
          (instance.evidence ?? []).map((kind) => ({ kind, plugin })),
        )
      },
    }),
  }
}

/** Sets up the plugins that are not there yet. One that fails is missing, which is logged. */
async function setUpOthers({ log, others, ready, setUp: setUpEntry }: Parts): Promise<void> {
  try {
    for (const entry of (await others?.()) ?? []) {
      const { name } = entry.plugin
      if (!ready.some(({ plugin }) => plugin === name))
        ready.push({ plugin: name, instance: await setUpEntry(entry) })
    }
  } catch (error) {
    log.warn('another plugin could not be set up', { error })
  }
}
