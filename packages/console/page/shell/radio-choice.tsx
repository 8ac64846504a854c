import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface RadioChoiceProps<T extends string> {
  readonly legend: string
  readonly options: readonly T[]
  readonly chosen: T
  readonly onChoose: (option: T) => void
  /** What an option shows. The option itself by default. */
  readonly labelOf?: (option: T) => ComponentChildren
}

/** Lets the person choose one of a few options. */
export function RadioChoice<T extends string>({
  legend,
  options,
  chosen,
  onChoose,
  labelOf = (option) => option,
}: RadioChoiceProps<T>) {
  const group = useId()
  return (
    <fieldset class="choice">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option}>
          <input
            type="radio"
            name={group}
            checked={option === chosen}
            onChange={() => onChoose(option)}
          />
          {labelOf(option)}
        </label>
      ))}
    </fieldset>
  )
}
