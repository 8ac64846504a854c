import type { Command } from 'commander'

/** Adds `--config`, which every command on a gateway needs. */
export function addConfigOption(command: Command): Command {
  return command.requiredOption('--config <file>', 'configuration file (required)')
}
