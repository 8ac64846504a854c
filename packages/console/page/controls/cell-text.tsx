import { visibleText } from './visible-text.ts'

/** Shows a text from the gateway. Nothing in it acts on what stands around it. */
export function CellText({ text }: { readonly text: string }) {
  return (
    <bdi>
      {visibleText(text).map(({ text: part, isMark }, index) =>
        isMark ? (
          <span key={index} class="unseen">
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </bdi>
  )
}
