import type { Warning } from './report.ts'

/** A module and the name that an entry of the configuration gives it. */
export interface Claim {
  readonly id: string
  readonly repository: string
  readonly name: string
}

/** The name of each module in one run: entries of one URL may have several names, a module has one. */
export interface NameClaims {
  /** The first name wins; any other returns false and causes one warning for each name of a repository. */
  claim(wanted: Claim): boolean
}

/** `warn` receives the names that are not used. */
export function createNameClaims(warn: (warning: Warning) => void): NameClaims {
  const names = new Map<string, string>()
  const warned = new Set<string>()
  return {
    claim({ id, repository, name }) {
      const first = names.get(id) ?? name
      names.set(id, first)
      if (first === name) return true
      const key = `${repository}\0${name}`
      if (!warned.has(key)) {
        const message = `The name ${name} is not used for what another entry of this URL reads as ${first}. Give both one name, or directories of their own.`
        warn({ repository, code: 'name_taken', message })
      }
      warned.add(key)
      return false
    },
  }
}
