import type { z } from 'zod'
import type { HostVerb } from './world.ts'

/** Returns `verb` unchanged, for type inference. */
export function defineHostVerb<I extends z.ZodObject>(
  verb: Omit<HostVerb<I>, 'takesInput' | 'takesOutput'>,
): HostVerb<I> {
  return { ...verb, takesInput: false, takesOutput: false }
}
