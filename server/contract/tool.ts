import type { z } from 'zod'
import type { HttpRouteOptions } from './advanced/http-route.ts'
import type { Capability } from './advanced/principal.ts'
import type { TaskStarted } from './advanced/task.ts'
import type { VerbOptions } from './advanced/verb.ts'
import type { CallContext } from './context.ts'

/** All four hints, stated by every tool: some clients refuse a tool that leaves one out. */
export interface Annotations {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
}

/** `core` is listed always, `standard` by default, `full` on request. */
export type Profile = 'core' | 'standard' | 'full'

/** Where REST serves a tool. Path, query and body merge into one input; the path wins. */
export interface HttpRoute extends HttpRouteOptions {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** `/handoffs/{id}`: names in braces are input fields. */
  readonly path: `/${string}`
}

/** How a tool is typed at the command line. Flags come from the input's schema. */
export interface Verb extends VerbOptions {
  /** `handoff create`: one or two words. */
  readonly verb: string
  /** Input fields given by position, in order; the last may be repeatable (`ids...`), optional ones in brackets (`[id]`). */
  readonly positional?: readonly string[]
  /** Input field -> one-letter flag. */
  readonly short?: Readonly<Record<string, string>>
  /** True: the call worked and found something; the exit code is 3. */
  found?(output: unknown, input: Readonly<Record<string, unknown>>): boolean
}

/**
 * One tool, declared once, served at every door. Data plus a function: the handler returns data, never
 * text, status codes or MCP content.
 */
export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  /** `^[a-z0-9_]{1,48}$`; the file is named like it, with hyphens. */
  readonly name: string
  readonly title: string
  /** For a model: what it does, when to choose it, what it returns; at most 1,000 characters. */
  readonly description: string
  readonly profile: Profile
  /** Every field described. */
  readonly input: I
  readonly output: O
  readonly annotations: Annotations
  /** Checked against the principal before anything is parsed or touched. */
  readonly requires?: Capability
  /** On MCP unless false. */
  readonly mcp?: false
  /** May answer as an MCP task. */
  readonly task?: true
  /** Longest answer in characters, where it may pass 50,000 (at most 500,000). */
  readonly maxResultChars?: number
  readonly http?: HttpRoute | readonly HttpRoute[]
  readonly cli?: Verb | readonly Verb[]
  /** Shown in the docs, executed by the tests. */
  readonly example: z.input<I>
  handler(ctx: CallContext, input: z.output<I>): Promise<z.input<O> | TaskStarted>
  /** The result in at most 1,200 characters that can be read alone; pure. */
  digest(output: z.output<O>): string
}

/** The identity, for inference: a missing hint, description, example, output or digest does not compile. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(tool: Tool<I, O>): Tool<I, O> {
  return tool
}
