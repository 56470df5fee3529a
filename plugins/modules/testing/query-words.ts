import { knowledgeOf } from '../search/knowledge.ts'
import { lexiconOf } from '../search/lexicon-file.ts'
import { planQuery, type QueryPlan } from '../search/query-plan.ts'
import { stem } from '../search/stemmer.ts'
import type { Vocabulary } from '../search/vocabulary.ts'

/** Words that modules of an index have. */
export const IN_USE = (
  'opensearch domain kubernetes cluster dynamodb table security group rules load balancer function storage bucket ' +
  'queue message network database virtual machine redis cache secret aws azure google'
).split(' ')

/** An index of 100 texts in which each of these words is in `texts`. */
export function vocabularyOf(words: readonly string[], texts = 20): Vocabulary {
  const stems = new Set(words.map(stem))
  return {
    texts: 100,
    count: (term) => (stems.has(term) ? texts : 0),
    named: () => [],
    startingWith: (prefix) =>
      [...stems].filter((term) => term.startsWith(prefix)).map((term) => ({ term, texts })),
  }
}

export const knowledge = knowledgeOf(await lexiconOf(undefined))
export const plan = (query: string): QueryPlan => planQuery(query, knowledge, vocabularyOf(IN_USE))
