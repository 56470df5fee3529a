import { h } from 'preact'
import { useState } from 'preact/hooks'
import { act } from './actions.js'
import {
  apart,
  badge,
  button,
  empty,
  Field,
  keptField,
  Name,
  older,
  targetName,
  visible,
  when,
} from './dom.js'
import { select } from './people.js'
import { may, mayReviewResult } from './store.js'

const ENDED = new Set(['approved', 'rejected', 'cancelled'])

/** Work that participants give to each other. */
export function Handoffs({ room }) {
  const open = room.handoffs.filter(({ status }) => !ENDED.has(status))
  const ended = room.handoffs.filter(({ status }) => ENDED.has(status))
  const cards = (list) =>
    h(
      'ul',
      { class: 'cards' },
      list.map((one) => h(Handoff, { key: one.handoff_id, room, one })),
    )
  return [
    open.length === 0 ? empty(ended.length === 0 ? 'No handoff yet.' : 'No handoff is open.') : cards(open),
    ended.length > 0 && h('details', {}, h('summary', {}, `Ended (${ended.length})`), cards(ended)),
    may(room, 'propose') && h(HandoffForm, { room }),
    older(room, 'handoffs', act),
  ]
}

function Handoff({ room, one }) {
  const { handoff_id: id, title, objective, status, from, to, acceptor, target, task_id } = one
  return h(
    'li',
    { class: 'card', id: `handoff-${id}`, tabindex: -1 },
    h('h3', { dir: 'auto' }, visible(title)),
    h(
      'p',
      { class: 'meta' },
      badge(status),
      ' from ',
      h(Name, { room, id: from }),
      ' to ',
      acceptor || to ? h(Name, { room, id: acceptor ?? to }) : 'anyone',
      target && [', on ', apart(targetName(target))],
      ', ',
      when(one.updated_at),
    ),
    h('p', { class: 'lines', dir: 'auto' }, visible(objective)),
    one.result_summary &&
      h('p', { class: 'lines', dir: 'auto' }, h('strong', {}, 'Result: '), visible(one.result_summary)),
    one.requires?.length > 0 && h(Requirements, { one }),
    one.reason && h('p', { class: 'reason' }, h('strong', {}, 'Reason: '), visible(one.reason)),
    h('p', { class: 'meta' }, h('small', {}, `Task ${task_id}`)),
    h(HandoffActs, { room, one }),
  )
}

const MET = new Set(['holds', 'moved'])

/** What must hold before the result can be approved, and what the last check of each said. */
function Requirements({ one: { handoff_id, requires, checks = [] } }) {
  const heading = `requires-${handoff_id}`
  return [
    h('p', { class: 'meta', id: heading }, 'Required before an approval:'),
    h(
      'ul',
      { class: 'requirements', 'aria-labelledby': heading },
      requires.map((name) => {
        const check = checks.find(({ requirement }) => requirement === name)
        const verdict = check?.verdict ?? 'not checked yet'
        const tone = !check ? '' : MET.has(verdict) ? 'met' : 'unmet'
        return h(
          'li',
          { key: name },
          h('span', { class: `badge ${tone}` }, verdict),
          ' ',
          h('strong', {}, visible(name)),
          check && `: ${visible(check.reason)}`,
        )
      }),
    ),
  ]
}

function HandoffActs({ room, one }) {
  const [comment, keep, clearField] = keptField(room, `handoff:${one.handoff_id}`)
  const { handoff_id: id, title: about, status, from, to, acceptor } = one
  const me = room.status.you.participant_id
  const mayAccept = status === 'created' && may(room, 'propose') && (to === undefined || to === me)
  const mayFinish = status === 'accepted' && acceptor === me && may(room, 'propose')
  const mayReview = mayReviewResult(room, one)
  const mayCancel = !ENDED.has(status) && ([from, acceptor].includes(me) || may(room, 'admin'))
  const clear = (isDone) => isDone && clearField(comment)
  const review = (approve) => () => act.reviewHandoff(one, approve, comment.trim()).then(clear)
  const finish = () => act.finishHandoff(id, comment.trim()).then(clear)
  return [
    mayFinish && h(Field, { label: 'Result', rows: 3, value: comment, keep, maxlength: 2000 }),
    mayReview && h(Field, { label: 'Comment', rows: 2, value: comment, keep, maxlength: 2000 }),
    h(
      'div',
      { class: 'buttons' },
      mayAccept && button('Accept', () => act.acceptHandoff(id), { about, class: 'good' }),
      mayFinish &&
        button('Deliver the result', finish, { about, class: 'good', disabled: comment.trim() === '' }),
      mayReview &&
        button('Approve', review(true), {
          class: 'good',
          'aria-label': `Approve the result of: ${visible(about)}`,
        }),
      mayReview &&
        button('Reject', review(false), {
          class: 'bad',
          'aria-label': `Reject the result of: ${visible(about)}`,
        }),
      mayCancel &&
        button('Cancel', () => act.cancelHandoff(one), {
          class: 'bad',
          'aria-label': `Cancel the handoff: ${visible(about)}`,
        }),
    ),
  ]
}

function HandoffForm({ room }) {
  const [title, keepTitle, clearTitle] = keptField(room, 'handoff-title')
  const [objective, keepObjective, clearObjective] = keptField(room, 'handoff-objective')
  const [to, setTo] = useState('')
  const me = room.status.you.participant_id
  const others = room.participants.filter(({ participant_id }) => participant_id !== me)
  const onSubmit = async (event) => {
    event.preventDefault()
    const wish = { title: title.trim(), objective: objective.trim(), ...(to !== '' && { to }) }
    if (!(await act.handOff(wish))) return
    clearTitle(title)
    clearObjective(objective)
  }
  return h(
    'details',
    {},
    h('summary', {}, 'Hand off work'),
    h(
      'form',
      { class: 'form', onSubmit, 'aria-label': 'Hand off work' },
      h(Field, { label: 'Title', value: title, keep: keepTitle, required: true, maxlength: 200 }),
      h(Field, {
        label: 'Objective',
        rows: 3,
        value: objective,
        keep: keepObjective,
        required: true,
        maxlength: 4000,
      }),
      select('To', to, setTo, [
        ['', 'Anyone'],
        ...others.map(({ participant_id, name }) => [participant_id, visible(name)]),
      ]),
      h('button', { type: 'submit', class: 'primary' }, 'Hand off'),
    ),
  )
}
