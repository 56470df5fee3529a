import { onceFor } from '../../../server/plugin.ts'
import glossaryData from '../assets/glossary.json' with { type: 'json' }
import { createGlossary, type GlossaryData } from './glossary.ts'
import type { Lexicon } from './lexicon.ts'
import type { QueryKnowledge } from './query-plan.ts'
import { createSpelling } from './spelling.ts'

/** What is known of language and field, with the words of this lexicon; made on its first use. */
export const knowledgeOf: (lexicon: Lexicon) => QueryKnowledge = onceFor((lexicon) => {
  const data: GlossaryData = glossaryData
  const english = data.terms.flatMap((row) => row.english.split(' '))
  return {
    lexicon,
    glossary: createGlossary(data),
    spelling: createSpelling([...lexicon.words, ...english]),
  }
})
