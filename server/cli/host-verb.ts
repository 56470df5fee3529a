import type { z } from 'zod'
import type { VerbShape } from './verb-parser.ts'
import type { World } from './world.ts'

/** A verb of the host itself. */
export interface HostVerb<I extends z.ZodObject = z.ZodObject> extends Omit<VerbShape, 'input'> {
  readonly input: I
  /** Gives the exit code. Errors: a `SatchelError`. */
  run(world: World, input: z.output<I>): Promise<number>
}

/** The identity, for inference. */
export function defineHostVerb<I extends z.ZodObject>(
  verb: Omit<HostVerb<I>, 'takesInput' | 'takesOutput'>,
): HostVerb<I> {
  return { ...verb, takesInput: false, takesOutput: false }
}
