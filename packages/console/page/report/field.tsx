import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly fault?: string | undefined
  /** Renders the control with the attributes that connect it with its label, its hint and its fault. */
  readonly children: (attributes: {
    readonly id: string
    readonly 'aria-describedby': string | undefined
    readonly 'aria-invalid': boolean | undefined
  }) => ComponentChildren
}

/** A labelled control with a hint and, if its value is wrong, what was expected. */
export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId()
  const [hintId, faultId] = [`${id}-hint`, `${id}-fault`]
  const describedBy = [hint && hintId, fault && faultId].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': describedBy || undefined,
        'aria-invalid': fault === undefined ? undefined : true,
      })}
      {hint !== undefined && <small id={hintId}>{hint}</small>}
      {fault !== undefined && (
        <span class="fault" id={faultId}>
          {fault}
        </span>
      )}
    </div>
  )
}
