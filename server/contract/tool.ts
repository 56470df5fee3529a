import type { z } from 'zod'
import type { AnswerTextOptions } from './advanced/answer-text.ts'
import { changedTool, type Declared, isMade } from './advanced/declared-tool.ts'
import type { HttpRouteOptions } from './advanced/http-route.ts'
import type { Capability } from './advanced/principal.ts'
import type { TaskStarted } from './advanced/task.ts'
import type { VerbOptions } from './advanced/verb.ts'
import type { CallContext } from './context.ts'

/** All four hints are required, because some clients refuse a tool that omits one. */
export interface Annotations {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
}

/** `core` is always listed, `standard` by default, `full` on request. */
export type Profile = 'core' | 'standard' | 'full'

/** The REST route of a tool. Path, query and body merge into one input; the path takes precedence. */
export interface HttpRoute extends HttpRouteOptions {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** `/handoffs/{id}`: names in braces are input fields. */
  readonly path: `/${string}`
}

/** The command-line form of a tool. Its flags come from the schema of the input. */
export interface Verb extends VerbOptions {
  /** `handoff create`: one or two words. */
  readonly verb: string
  /** Input fields given by position, in order; the last may be repeatable (`ids...`), optional ones in brackets (`[id]`). */
  readonly positional?: readonly string[]
  /** Input field -> one-letter flag. */
  readonly short?: Readonly<Record<string, string>>
  /** True: the call succeeded and has findings; the exit code is 3. */
  found?(output: unknown, input: Readonly<Record<string, unknown>>): boolean
}

/** One tool, declared once and served at every door. The handler returns data, never text, status codes or MCP content. */
export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject>
  extends AnswerTextOptions {
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
  /** Checked against the principal before the input is parsed. */
  readonly requires?: Capability
  /** The scope that a token needs; absent: `read` for a tool that is read only, `write` for others. */
  readonly scope?: 'admin'
  /** On MCP unless false. */
  readonly mcp?: false
  /** May answer as an MCP task. */
  readonly task?: true
  readonly http?: HttpRoute | readonly HttpRoute[]
  readonly cli?: Verb | readonly Verb[]
  /** Shown in the docs, executed by the tests. */
  readonly example: z.input<I>
  handler(ctx: CallContext, input: z.output<I>): Promise<z.input<O> | TaskStarted>
  /** Names the result in one line of at most 300 characters: the first line of its text; pure. */
  headline(output: z.output<O>): string
}

/** Returns the tool: a missing part does not compile. Schemas may be functions, which are called when first needed. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(
  tool: Declared<Tool<I, O>>,
): Tool<I, O> {
  return isMade<Tool<I, O>>(tool) ? tool : changedTool<Tool<I, O>>(tool, tool)
}
