import type { z } from 'zod'
import type { HostVerb } from './world.ts'

type Typed = 'typing' | 'takesInput' | 'takesOutput'

/** A verb whose fields are typed as flags, but for those that `typing` names. */
export function defineHostVerb<I extends z.ZodObject>(
  verb: Omit<HostVerb<I>, Typed> & Partial<Pick<HostVerb<I>, 'typing'>>,
): HostVerb<I> {
  return { typing: {}, ...verb, takesInput: false, takesOutput: false }
}
