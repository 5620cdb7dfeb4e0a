// Each script asks `portico __complete` for the words that fit. The words go there as they are, with a colon before the
// last one so that no shell drops it when it is empty, and come back as one line each: the value, a tab, what it is. The
// first line says whether the shell's own files fit as well. Nothing that comes back is evaluated.

const bash = String.raw`# bash completion for portico
_portico() {
  local current="" line kind="" value word
  local -a words=()
  # Readline splits words at "=" and ":", and the program does not.
  for ((word = 1; word <= COMP_CWORD; word++)); do
    if ((word > 1)) && [[ "\${COMP_WORDS[word]}" == [=:]* || "\${COMP_WORDS[word - 1]}" == [=:] ]]; then
      words[\${#words[@]}-1]+="\${COMP_WORDS[word]}"
    else
      words+=("\${COMP_WORDS[word]}")
    fi
  done
  current="\${words[\${#words[@]}-1]}"
  words[\${#words[@]}-1]=":\${current//\\/}"
  local kept="\${current%"\${COMP_WORDS[COMP_CWORD]#[=:]}"}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z "$kind" ]]; then
      kind="$line"
      continue
    fi
    value="\${line%%$'\t'*}"
    value="\${value#"$kept"}"
    COMPREPLY+=("$(printf '%q' "$value")")
  done < <(portico __complete -- "\${words[@]}" 2>/dev/null)
  if [[ "$kind" == files ]]; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
    compopt -o filenames 2>/dev/null
  elif [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _portico portico
`

const zsh = String.raw`#compdef portico
_portico() {
  local line kind="" value
  local -a before values shown
  before=("\${(@Q)words[2,CURRENT-1]}")
  while IFS= read -r line; do
    if [[ -z "$kind" ]]; then
      kind="$line"
      continue
    fi
    value="\${line%%$'\t'*}"
    values+=("$value")
    if [[ "$line" == *$'\t'* ]]; then shown+=("$value -- \${line#*$'\t'}"); else shown+=("$value"); fi
  done < <(portico __complete -- "\${before[@]}" ":\${(Q)words[CURRENT]}" 2>/dev/null)
  (( \${#values} )) && compadd -l -d shown -a -- values
  [[ "$kind" == files ]] && _files
  return 0
}
if [[ "$funcstack[1]" == _portico ]]; then _portico "$@"; else compdef _portico portico; fi
`

const fish = String.raw`# fish completion for portico
function __portico_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l lines (portico __complete -- $words ":"(commandline -ct) 2>/dev/null)
    test (count $lines) -gt 0; or return
    test $lines[1] = files; and __fish_complete_path (commandline -ct)
    for line in $lines[2..-1]
        printf '%s\n' $line
    end
end
complete -c portico -e
complete -c portico -f -a '(__portico_complete)'
`

const powershell = String.raw`# PowerShell completion for portico
Register-ArgumentCompleter -Native -CommandName portico -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { "$_" })
  $lines = @(portico __complete -- @words ":$wordToComplete" 2>$null)
  $lines | Select-Object -Skip 1 | ForEach-Object {
    $value, $description = $_ -split [char]9, 2
    if (-not $description) { $description = $value }
    $text = if ($value -match '^[\w./:=@-]+$') { $value } else { "'" + ($value -replace '[\u0027\u2018-\u201b]', '$0$0') + "'" }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
  }
}
`

const unescaped = (script: string): string => script.replaceAll("\\${", "${")

export const scripts = {
  bash: unescaped(bash),
  zsh: unescaped(zsh),
  fish,
  powershell
} as const
