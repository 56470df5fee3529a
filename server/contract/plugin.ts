import type { z } from 'zod'
import type { HostServices, ProtocolDeclarations } from './advanced/host.ts'
import type { Prompt } from './advanced/prompt.ts'
import type { Resource } from './advanced/resource.ts'
import type { Log } from './context.ts'
import type { NextStep } from './errors.ts'
import type { Tool } from './tool.ts'

/** What the host provides to a plugin. */
export interface Host extends HostServices {
  readonly log: Log
  /** Aborts when the host stops. */
  readonly signal: AbortSignal
  /** Absolute; `--project`, `SATCHEL_PROJECT`, `CLAUDE_PROJECT_DIR`, the git root, the working directory. */
  readonly projectRoot: string
  /** A copy of the process environment, for children and for the names a plugin documents. */
  readonly env: Readonly<Record<string, string | undefined>>
  now(): Date
  /** Sends a hint without body or history. Call it after the change is durable; it cannot fail. */
  resourceChanged(uri: string): void
}

/** One result of `satchel doctor`. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'problem'
  readonly subject: string
  readonly detail: string
  readonly next?: NextStep
}

/** The declarations of a plugin. Absent means none. */
export interface PluginInstance extends ProtocolDeclarations {
  readonly tools?: readonly Tool[]
  readonly resources?: readonly Resource[]
  readonly prompts?: readonly Prompt[]
  /** Reads only; works on a broken store. */
  doctor?(signal: AbortSignal): Promise<readonly Finding[]>
  start?(): Promise<void>
  stop?(): Promise<void>
}

/**
 * A plugin: a name, its configuration and a `setup` that builds declarations. `setup` does no I/O:
 * stores open at the first call, because clients start servers twice and kill one.
 */
export interface Plugin<C extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly version: string
  readonly apiVersion: 1
  readonly config: C
  /** Environment name -> configuration key of this plugin, dotted. */
  readonly env?: Readonly<Record<string, string>>
  setup(host: Host, config: z.output<C>): Promise<PluginInstance>
}

/** Returns the plugin unchanged, for type inference. */
export function definePlugin<C extends z.ZodObject>(plugin: Plugin<C>): Plugin<C> {
  return plugin
}
