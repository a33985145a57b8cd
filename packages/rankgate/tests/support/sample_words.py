"""Words of the sample pages: what people ask about a library for command lines, and where it stands."""

from __future__ import annotations

CATEGORIES = (
    "how-to",
    "api",
    "how-to",
    "concepts",
    "api",
    "errors",
    "how-to",
    "api",
    "concepts",
    "how-to",
    "upgrading",
    "errors",
    "api",
)
QUERIES = (
    "add an option with a default value",
    "progress bar in a long loop",
    "read an environment variable as a default",
    "nest commands in a group",
    "prompt for a password twice",
    "validate an argument with a callback",
    "test a command without a shell",
    "shell completion for zsh",
    "open a file lazily",
    "colour the output of echo",
    "what is a context object",
    "pass a value from a group to its commands",
    "exit with a code of my own",
    "make an option required",
    "choose from a fixed list of values",
    "count how often -v was given",
    "parse a date on the command line",
    "hide an option from the help",
    "rename a command",
    "UsageError or BadParameter",
    "how are types converted",
    "load commands from plugins",
    "page long output",
    "launch an editor",
    "make a flag with on and off",
    "multiple values for one option",
    "tuples as option values",
    "set the width of help pages",
    "no such option error",
    "missing argument error",
    "abort when the user says no",
    "clear the screen",
    "wait for a key",
    "find the application folder",
    "deprecated options",
    "lazy loading of subcommands",
    "invoke another command",
    "default values from a configuration file",
    "aliases for commands",
    "stdin and stdout as a dash",
    "atomic file writes",
    "path that must exist",
    "range of integers",
    "custom parameter type",
    "version option",
    "help option names",
    "print styled tables",
    "enviroment prefix for all options",
)
FILES = (
    "src/click/core.py",
    "src/click/decorators.py",
    "src/click/types.py",
    "src/click/termui.py",
    "src/click/_termui_impl.py",
    "src/click/shell_completion.py",
    "src/click/exceptions.py",
    "src/click/utils.py",
    "src/click/testing.py",
    "src/click/formatting.py",
    "src/click/globals.py",
    "docs/options.md",
    "docs/arguments.md",
    "docs/commands-and-groups.md",
    "docs/prompts.md",
    "docs/testing.md",
    "docs/extending-click.md",
)
SNIPPETS = (
    (
        41,
        '''def prompt(text: str, default: t.Any | None = None, hide_input: bool = False) -> t.Any:
    """Prompt a user for input, and ask again where it is not valid.

    If the user aborts the input by sending an interrupt signal, an
    exception is raised.
    """
    value_proc = convert_type(None, default)
    prompt_func = hidden_prompt_func if hide_input else visible_prompt_func

    while True:  # until an answer fits
        value = prompt_func(_build_prompt(text, default))
        if value:
            break
    return value_proc(value)
''',
    ),
    (
        118,
        '''class Choice(ParamType):
    """A value that must be one of a fixed list."""

    name = "choice"

    def __init__(self, choices: cabc.Iterable[str], case_sensitive: bool = True) -> None:
        self.choices = tuple(choices)
        self.case_sensitive = case_sensitive

    def convert(self, value: t.Any, param: Parameter | None, ctx: Context | None) -> t.Any:
        if value in self.choices:
            return value
        self.fail(f"{value!r} is not one of {self.choices}.", param, ctx)
''',
    ),
    (
        7,
        """@click.command()
@click.option("--count", default=1, envvar="HELLO_COUNT", help="How many greetings.")
@click.option("--name", prompt="Your name", required=True)
def hello(count: int, name: str) -> None:
    # The default is read from the environment before the prompt is shown.
    for _ in range(count):
        click.echo(f"Hello, {name}!")
""",
    ),
)
