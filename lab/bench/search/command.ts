import { defineBench } from '../bench.ts'

/** `satchel bench search`: the goals of search design 9 inside one run. */
export const searchBench = defineBench({
  subject: 'search',
  title: 'Measure what a search costs',
  description:
    'Measures a query over 10,000 vectors against a bare loop, a search of 1,000 records as a new process against a bare Node, loading the vectors against parsing their file, and the searches of a server with 10,000 records.',
  measure: async (context) => (await import('./figures.ts')).measureSearch(context),
})
