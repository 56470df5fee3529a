import * as z from 'zod'
import { invalidArguments } from '../field-errors.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { echoableId } from './rpc-refusal.ts'

/** What every version of the protocol says of it. */
const PARAMS = z.looseObject({
  _meta: z.looseObject({ progressToken: z.union([z.string(), z.int()]).optional() }),
})

/**
 * Says what is wrong with the `_meta` of a request; undefined for every other message. Such a request is well formed, so
 * that the refusal is -32602; the SDK takes it for no message at all.
 */
export function faultInMeta(message: unknown): string | undefined {
  if (echoableId(message) === null || !isJsonObject(message)) return undefined
  const { params } = message
  if (!isJsonObject(params) || params['_meta'] === undefined) return undefined
  const { error } = PARAMS.safeParse(params)
  return error && invalidArguments(error, params).message
}
