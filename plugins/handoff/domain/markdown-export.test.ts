import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toMarkdown } from './markdown-export.ts'
import { readableRecord } from './readable-record.ts'

const exported = (value: Record<string, unknown>) => toMarkdown(readableRecord(value), '{}\n')

test('a paragraph that follows a list is not a part of its last item', () => {
  const text = exported({
    work: { title: 'T', objective: 'Do:\n1. a\n   in two steps\n2. b\nThen deploy.\nAnd tell.' },
    summary: {
      current_state: 'Moved:\n- a\n* b\nThe suite is green.',
      completed: ['One:\n- a\n`b` is left.'],
    },
  })

  assert.ok(text.includes('Do:\n1. a\n   in two steps\n2. b\n\nThen deploy.\nAnd tell.\n'), text)
  assert.ok(text.includes('Moved:\n- a\n* b\n\nThe suite is green.\n'), text)
  assert.ok(text.includes('- One:\n  - a\n\n  `b` is left.\n'), text)
})

test('a line that goes on from an item stays with it, and a text without a list is as it was', () => {
  const text = exported({
    work: { title: 'T', objective: '- a long item\nthat goes on\n- b\n\nthen\nDeploy.' },
    summary: { current_state: 'One.\nTwo.\n\nThree.' },
  })

  assert.ok(text.includes('- a long item\nthat goes on\n- b\n\nthen\nDeploy.\n'), text)
  assert.ok(text.includes('One.\nTwo.\n\nThree.\n'), text)
})
