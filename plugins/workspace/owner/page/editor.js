import { h } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { act } from './actions.js'
import { DiffView } from './diff-view.js'
import { apart, button, editId, Name, targetName, visible, when } from './dom.js'
import * as editing from './editing.js'
import { finishMerge, mergeNewest, unmerge } from './merging.js'
import { draftsOf, may, store } from './store.js'

const MAX_OPTIONS = 500

/** The editor of one draft. Leaving it in any way keeps the draft. */
export function Editor({ room, editor, targets }) {
  const { draft, newest, merging, before, failed, isBusy, isKept, isMissing } = editor
  const { id } = draft
  const field = useRef()
  useEffect(() => {
    if (!editor.isWanted) return
    field.current?.focus()
    editing.change(id, { isWanted: false })
  }, [editor.isWanted])
  const title = `Change: ${targetName(draft.target)}`
  const onKeyDown = (event) => {
    // While a word is composed, Escape belongs to the input method.
    if (event.key === 'Escape' && !event.isComposing) editing.close(id)
  }
  return h(
    'form',
    {
      class: 'editor',
      id: `editor-${id}`,
      tabindex: -1,
      'aria-label': title,
      'data-back': editId(draft.target),
      onKeyDown,
      onSubmit: (event) => {
        event.preventDefault()
        void act.propose(id)
      },
    },
    h('h2', {}, title),
    h(TargetField, { draft, targets }),
    h(LeaseWarning, { room, target: draft.target }),
    newest && h(Stale, { id, draft, newest, merging }),
    before &&
      h(
        'p',
        { class: 'hint' },
        'Merged. ',
        button('Undo the merge', () => unmerge(id)),
      ),
    isMissing && h(Missing, { id }),
    h(TextField, { draft, field }),
    h('label', { class: 'field' }, h('span', {}, 'Why'), whyField(draft)),
    failed && h('p', { class: 'failed', role: 'alert' }, visible(failed)),
    h(EditorButtons, { room, id, isBusy }),
    h(
      'p',
      { class: 'hint', role: 'status' },
      isKept
        ? 'Kept in this browser until you send or discard it.'
        : 'This browser cannot keep the draft: its storage is full or closed. Copy the text before you leave.',
    ),
  )
}

function TargetField({ draft, targets }) {
  const shown = targets.slice(0, MAX_OPTIONS)
  const options = ['workspace', ...shown]
  if (!options.includes(draft.target)) options.push(draft.target)
  return h(
    'label',
    { class: 'field' },
    h('span', {}, 'What to change'),
    h(
      'select',
      {
        value: draft.target,
        onChange: ({ target }) => void act.switchTarget(draft.id, target.value),
      },
      options.map((target) =>
        h('option', { value: target, selected: target === draft.target }, targetName(target)),
      ),
    ),
  )
}

function TextField({ draft, field }) {
  return h(
    'label',
    { class: 'field' },
    h('span', {}, 'New text'),
    h('textarea', {
      ref: field,
      class: 'text',
      dir: directionOf(draft.text),
      rows: Math.min(24, Math.max(6, draft.text.slice(0, 5000).split('\n').length + 1)),
      spellcheck: true,
      value: draft.text,
      onInput: ({ target }) => editing.type(draft.id, { text: target.value }),
    }),
  )
}

const RIGHT_TO_LEFT = /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u

/** The direction of a text by its first letter, as dir=auto finds it, which Chromium does again for each line. */
function directionOf(text) {
  const [first = ''] = /\p{L}/u.exec(text) ?? []
  return RIGHT_TO_LEFT.test(first) ? 'rtl' : 'ltr'
}

function whyField({ id, why }) {
  return h('input', {
    type: 'text',
    dir: 'auto',
    required: true,
    maxlength: 240,
    value: why,
    onInput: ({ target }) => editing.type(id, { why: target.value }),
  })
}

function EditorButtons({ room, id, isBusy }) {
  const mayCommit = may(room, 'approve') && may(room, 'commit')
  const commitNow = () => {
    const form = document.getElementById(`editor-${id}`)
    if (form.reportValidity()) void act.commitDraft(id)
  }
  return h(
    'div',
    { class: 'buttons' },
    may(room, 'propose')
      ? h('button', { type: 'submit', class: 'primary', disabled: isBusy }, 'Propose')
      : h('span', { class: 'hint' }, 'You may only read here: this draft cannot be sent.'),
    mayCommit && button('Commit now', commitNow, { disabled: isBusy }),
    button('Close', () => editing.close(id)),
    button('Discard', () => act.discard(id), { class: 'bad' }),
  )
}

function LeaseWarning({ room, target }) {
  const mine = room.status.you.participant_id
  const lease = room.leases.find((one) => one.participant_id !== mine && overlaps(one.target, target))
  if (!lease) return null
  return h(
    'p',
    { class: 'hint' },
    h(Name, { room, id: lease.participant_id }),
    ' has a lease on ',
    apart(targetName(lease.target)),
    ' until ',
    when(lease.expires_at),
    ': you can propose, and a commit has to wait.',
  )
}

function overlaps(a, b) {
  return a === 'workspace' || b === 'workspace' || a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
}

/** The text changed since the draft was begun. */
function Stale({ id, draft, newest, merging }) {
  if (merging) return h(Merging, { id, merging })
  return h(
    'div',
    { class: 'stale', role: 'status' },
    h(
      'p',
      {},
      `Version ${newest.version} changed this text since you began at version ${draft.base_version}.`,
    ),
    h(
      'details',
      {},
      h('summary', {}, 'What changed'),
      h(DiffView, { before: draft.base, after: newest.text }),
    ),
    button('Merge into my text', () => mergeNewest(id), { class: 'primary' }),
  )
}

const CHOICES = { yours: 'Yours', theirs: 'Theirs', both: 'Both' }

/** Where both sides changed the same lines, the person chooses. */
function Merging({ id, merging }) {
  const choose = (at, choice) => {
    const chosen = merging.chosen.map((old, index) => (index === at ? choice : old))
    editing.change(id, { merging: { ...merging, chosen } })
  }
  const conflicts = merging.parts.flatMap((part, at) => (typeof part === 'string' ? [] : [{ ...part, at }]))
  return h(
    'div',
    { class: 'stale', role: 'group', 'aria-label': 'Merge' },
    merging.isAgain &&
      h('p', { role: 'status' }, 'Your text changed while you chose: look at the conflicts again.'),
    conflicts.map(({ at, current, proposed }, index) =>
      h(
        'fieldset',
        { key: at },
        h('legend', {}, `Conflict ${index + 1} of ${conflicts.length}`),
        h('div', { class: 'sides' }, side('Yours', proposed), side('Theirs', current)),
        Object.entries(CHOICES).map(([choice, label]) =>
          h(
            'label',
            { class: 'choice' },
            h('input', {
              type: 'radio',
              name: `choice-${id}-${at}`,
              checked: merging.chosen[at] === choice,
              onChange: () => choose(at, choice),
            }),
            ` ${label}`,
          ),
        ),
      ),
    ),
    h(
      'div',
      { class: 'buttons' },
      button('Use the merged text', () => finishMerge(id), { class: 'primary' }),
      button('Not now', () => editing.change(id, { merging: undefined })),
    ),
  )
}

function side(label, text) {
  return h(
    'div',
    {},
    h('strong', {}, label),
    h(
      'pre',
      { dir: 'auto', tabindex: 0, role: 'region', 'aria-label': label },
      text === '' ? '(removed)' : visible(text),
    ),
  )
}

function Missing({ id }) {
  return h(
    'div',
    { class: 'stale', role: 'status' },
    h('p', {}, 'The document has no such section any more. Your text is kept.'),
    button('Add it to the whole document', () => act.retarget(id), { class: 'primary' }),
  )
}

/** Drafts of this browser that are not open in this tab. */
export function DraftList({ room }) {
  const open = new Set(store.editors.map(({ draft }) => draft.id))
  const drafts = draftsOf(room)
    .list()
    .filter(({ id }) => !open.has(id))
  if (drafts.length === 0) return null
  return h(
    'section',
    { class: 'drafts', 'aria-label': 'Drafts' },
    h('p', {}, 'Not sent yet, kept in this browser:'),
    h(
      'ul',
      { class: 'rows' },
      drafts.map((draft) =>
        h(
          'li',
          { key: draft.id },
          h('strong', {}, apart(targetName(draft.target))),
          draft.why && [' ', apart(draft.why)],
          ' ',
          when(draft.at),
          ' ',
          button('Continue', () => act.editDraft(draft), { about: targetName(draft.target) }),
          ' ',
          button('Discard', () => act.discardClosed(draft.id), {
            about: targetName(draft.target),
            class: 'bad',
          }),
        ),
      ),
    ),
  )
}
