import glossaryData from '../assets/glossary.json' with { type: 'json' }
import { createGlossary, type GlossaryData } from './glossary.ts'
import type { Lexicon } from './lexicon.ts'
import type { QueryKnowledge } from './query-plan.ts'
import { createSpelling } from './spelling.ts'

const known = new WeakMap<Lexicon, QueryKnowledge>()

/** What is known of language and field, with the words of this lexicon; made on its first use. */
export function knowledgeOf(lexicon: Lexicon): QueryKnowledge {
  const made = known.get(lexicon)
  if (made) return made
  const data: GlossaryData = glossaryData
  const english = data.terms.flatMap((row) => row.english.split(' '))
  const knowledge = {
    lexicon,
    glossary: createGlossary(data),
    spelling: createSpelling([...lexicon.words, ...english]),
  }
  known.set(lexicon, knowledge)
  return knowledge
}
