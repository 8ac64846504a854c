import { visibleText } from './visible-text.ts'

/** Shows a text from the gateway. Nothing in it acts on what stands around it. */
export function CellText({ text, query = '' }: { readonly text: string; readonly query?: string }) {
  return (
    <bdi>
      {visibleText(text, query).map(({ text: part, kind }, index) => {
        if (kind === 'plain') return part
        if (kind === 'hit') return <mark key={index}>{part}</mark>
        return (
          <span key={index} class="unseen">
            {part}
          </span>
        )
      })}
    </bdi>
  )
}
