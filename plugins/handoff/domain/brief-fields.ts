import { discoveries, failedAttempts, type Handoff, inProgress } from './record.ts'

/** One text of a record that a brief may show. */
export interface BriefField {
  readonly pointer: string
  readonly text: string
}

/** Every text of a record that reaches the brief. */
export function briefFields(record: Handoff): readonly BriefField[] {
  const { work, summary } = record
  return [
    { pointer: '/work/title', text: work.title },
    { pointer: '/work/objective', text: work.objective },
    ...each('/work/constraints', work.constraints),
    ...each('/work/scope', work.scope),
    ...each('/work/definition_of_done', work.definition_of_done),
    { pointer: '/summary/current_state', text: summary.current_state },
    ...optional('/summary/why_it_matters', summary.why_it_matters),
    ...each('/summary/completed', summary.completed),
    ...each('/summary/in_progress', inProgress(record)),
    ...each('/summary/discoveries', discoveries(record)),
    ...record.decisions.flatMap((item, i) => [
      { pointer: `/decisions/${i}/decision`, text: item.decision },
      ...optional(`/decisions/${i}/rationale`, item.rationale),
    ]),
    ...record.evidence.flatMap((item, i) => [
      { pointer: `/evidence/${i}/claim`, text: item.claim },
      ...optional(`/evidence/${i}/ref`, item.ref),
      ...optional(`/evidence/${i}/result`, item.result),
    ]),
    ...failedAttempts(record).flatMap((item, i) => [
      { pointer: `/failed_attempts/${i}/approach`, text: item.approach },
      ...optional(`/failed_attempts/${i}/reason`, item.reason),
    ]),
    ...record.open_items.flatMap((item, i) => [
      { pointer: `/open_items/${i}/description`, text: item.description },
      ...optional(`/open_items/${i}/suggested_action`, item.suggested_action),
      ...optional(`/open_items/${i}/acceptance_check`, item.acceptance_check),
      ...each(`/open_items/${i}/blocked_by`, item.blocked_by),
    ]),
    ...record.risks.flatMap((item, i) => [
      { pointer: `/risks/${i}/description`, text: item.description },
      ...optional(`/risks/${i}/mitigation`, item.mitigation),
    ]),
    ...record.artifacts.flatMap((item, i) => [
      { pointer: `/artifacts/${i}/path`, text: item.path },
      ...optional(`/artifacts/${i}/description`, item.description),
    ]),
    ...optional('/lineage/branch_label', record.lineage.branch_label),
  ]
}

function each(pointer: string, texts: readonly string[]): BriefField[] {
  return texts.map((text, index) => ({ pointer: `${pointer}/${index}`, text }))
}

function optional(pointer: string, text: string | null): BriefField[] {
  return text === null ? [] : [{ pointer, text }]
}
