import type { CallContext } from '../context.ts'

/** One argument of a prompt, with its completion. */
export interface PromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
  complete?(ctx: CallContext, prefix: string): Promise<readonly string[]>
}

/** A prompt that a user can select; rendered as one user message. */
export interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Absent: it takes none. */
  readonly arguments?: readonly PromptArgument[]
  render(ctx: CallContext, args: Readonly<Record<string, string>>): Promise<string>
}

/** Returns the prompt unchanged, for type inference. */
export function definePrompt(prompt: Prompt): Prompt {
  return prompt
}

/** Returns the arguments of a prompt; none where it states none. */
export function argumentsOf({ arguments: stated = [] }: Prompt): readonly PromptArgument[] {
  return stated
}
