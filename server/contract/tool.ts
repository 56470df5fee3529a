import type { z } from 'zod'
import type { CallContext, Capability } from './context.ts'
import type { TaskStarted } from './task.ts'

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
export interface HttpRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** `/handoffs/{id}`: names in braces are input fields. */
  readonly path: `/${string}`
  /** Names of the listeners that serve it; absent: `api`. */
  readonly listeners?: readonly string[]
  /** Further content type whose raw text becomes the input field `field`. */
  readonly rawBody?: { readonly field: string; readonly contentType: string }
  /** Cap of the body in bytes; absent: 4 MiB (surface, section 6). */
  readonly maxBodyBytes?: number
  /** Input field taken from the request header, lower case: `{ 'if-match': 'if_match' }`. Quotes of an entity tag are removed. */
  readonly headers?: Readonly<Record<string, string>>
  /** Output field sent as `ETag`. */
  readonly etag?: string
}

/** Reads what a verb's positional argument names; lives at the command line only. */
export interface TypedFiles {
  /** Text of a file, or of standard input for `-`. Errors: `not_found`/`file_not_found`, `invalid`/`not_utf8`. */
  readText(path: string): Promise<string>
  exists(path: string): Promise<boolean>
}

/** How a tool is typed at the command line. Flags come from the input's schema. */
export interface Verb {
  /** `handoff create`: one or two words. */
  readonly verb: string
  /** Input fields given by position, in order; the last may be repeatable (`ids...`), optional ones in brackets (`[id]`). */
  readonly positional?: readonly string[]
  /** Input field -> one-letter flag. */
  readonly short?: Readonly<Record<string, string>>
  /** Input field -> long flag, where kebab-case of the field is not the name (`include_tags`: `include-tags` needs none). */
  readonly long?: Readonly<Record<string, string>>
  /** Input that this verb fixes: `{ relation: 'fork' }`. Fixed fields have no flag. */
  readonly preset?: Readonly<Record<string, unknown>>
  /** Turns what was typed into the tool's input, where a positional is no input field (FILE or ID). Typed names that are no input field reach only this function. */
  arrange?(typed: Readonly<Record<string, unknown>>, files: TypedFiles): Promise<Record<string, unknown>>
  /** Output text written to the file of `-o/--output`: how to get it from the answer. Without it the verb has no `-o`. */
  save?(output: unknown): string
  /** What a person sees instead of the digest, where the answer is a text of its own: a brief, an export. Undefined: the digest. */
  print?(output: unknown): string | undefined
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
  /** The result in at most 1,200 characters that stand alone; pure. */
  digest(output: z.output<O>): string
}

/** The identity, for inference: a missing hint, description, example, output or digest does not compile. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(tool: Tool<I, O>): Tool<I, O> {
  return tool
}
