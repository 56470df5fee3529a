import { refusals } from './refusals.ts'

/**
 * An address is taken apart as one without any of these is. A password with `/`, `?`, `#` or `@` that is not
 * percent-encoded would end early, and the rest of it would be taken for a host or the name of a database, which messages show.
 */
const ADDRESS =
  /^postgres(?:ql)?:\/\/(?:[^\s/?#@]*@)?(?:\[[^\s/?#@[\]]*\]|[^\s/?#@:[\]]*)(?::\d*)?(?:\/[^\s/?#@:]*)?(?:\?[^\s#@]*)?$/

/** Errors: `invalid`/`storage_url`, which repeats nothing of `url`. */
export function refuseUnclearAddress(url: string): void {
  if (!ADDRESS.test(url)) throw refusals.storage_url()
}
