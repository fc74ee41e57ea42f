import KettleControl
import KettleModel
import KettleSocket
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct RunKettleTests {
  @Test func `--version`() async {
    #expect(
      await FakeContext().run("--version")
        == .init(code: 0, output: "kettle 0.1.0\n", error: ""))
  }

  @Test(arguments: [["--help"], ["-h"], ["help"]])
  func `help goes to standard output`(arguments: [String]) async {
    let outcome = await FakeContext().run(arguments)
    #expect(outcome.code == 0)
    #expect(outcome.error == "")
    #expect(outcome.output == Self.help)
  }

  // Fault 175
  @Test(arguments: [["--help"], ["--version"], ["get", "--help"]])
  func `text that cannot be written is an error`(arguments: [String]) async {
    let context = FakeContext()
    context.console.fail(with: .cannotWrite(detail: "No space left on device"))
    let outcome = await context.run(arguments)
    #expect(outcome.code == 1)
    #expect(outcome.error.hasPrefix("kettle: Cannot write to standard output"))
  }

  @Test(arguments: [
    "get", "add", "list", "watch", "wait", "start", "pause", "stop", "remove", "reset", "demo",
    "limit", "session", "queues", "undo", "bin", "config", "theme", "rules", "rpc", "browser",
    "completion", "verify", "repair", "collections", "sync", "manifest", "fleet",
  ])
  func `the help of each command has examples and fits 80 columns`(command: String) async {
    let outcome = await FakeContext().run(command, "--help")
    #expect(outcome.code == 0)
    #expect(outcome.output.contains("Examples:\n  kettle \(command)"))
    for line in outcome.output.split(separator: "\n") { #expect(line.count <= 80) }
  }

  @Test(arguments: [
    ("lst", "Unknown command \"lst\"; did you mean \"list\"? \"kettle --help\" lists the commands"),
    ("coffee", "Unknown command \"coffee\"; \"kettle --help\" lists the commands"),
    (
      "RM",
      "Unknown command \"RM\"; did you mean \"remove\"? \"kettle --help\" lists the commands"
    ),
    (
      "status",
      "Unknown command \"status\"; did you mean \"daemon status\"? \"kettle --help\" lists the "
        + "commands"
    ),
    (
      "https://example.org/a",
      "\"https://example.org/a\" is not a command; download it with \"kettle get URL\", "
        + "or queue it with \"kettle add URL\""
    ),
  ])
  func `an unknown command points to the help`(word: String, expected: String) async {
    #expect(
      await FakeContext().run(word) == .init(code: 2, output: "", error: "kettle: \(expected)\n"))
  }

  @Test func `an unknown option exits with 2 and the usage`() async {
    let outcome = await FakeContext().run("list", "--jsn")
    #expect(outcome.code == 2)
    #expect(outcome.output == "")
    #expect(
      outcome.error == """
        kettle: Unknown option '--jsn'. Did you mean '--json'?
        Usage: kettle list [--json] [--state <state> ...] [--session <id>]
                           [--queue <name>] [--collection <id>] [--match <words>]
          See 'kettle list --help' for more information.

        """)
  }

  // Fault 128
  @Test func `echoed command line arguments are sanitized`() async {
    let outcome = await FakeContext().run("list", "\u{1B}[31m")
    #expect(outcome.code == 2)
    #expect(!outcome.error.contains("\u{1B}"))
  }

  @Test func `on a terminal the dashboard is shown, and leaving it reports what continues`() async {
    var context = FakeContext()
    context.console = FakeConsole(inputIsTerminal: true, outputColumns: 80)
    context.dashboard = FakeDashboard(end: .left(continuingCount: 3))
    #expect(
      await context.run()
        == .init(
          code: 0,
          output: "3 transfers continue in the background; \"kettle\" shows them again\n",
          error: ""))
    #expect(context.dashboard.requests.map(\.client) == ["kettle"])
    #expect(context.dashboard.requests.map(\.address.environment) == [["HOME": "/home/anna"]])
  }

  @Test func `top shows the dashboard with its options`() async {
    var context = FakeContext()
    context.console = FakeConsole(inputIsTerminal: true, outputColumns: 80)
    #expect(await context.run("top", "--ascii").code == 0)
    #expect(context.dashboard.requests.map(\.isASCII) == [true])
    context.interruptions = [.interrupt]
    #expect(await context.run("top", "--plain").code == 130)
    #expect(context.dashboard.requests.count == 1)
    #expect(await context.run("top", "3").code == 2)
  }

  // Fault 131
  @Test func `without a terminal the list and then events are printed`() async {
    var context = FakeContext()
    context.service = FakeService([snapshot(1, .running)])
    context.service.onWatch([event(snapshot(1, .paused)), event(snapshot(1, .idle))])
    context.console.fail(with: .readerGone, afterWrites: 3)
    let outcome = await context.run()
    #expect(outcome.code == 0)
    #expect(outcome.output.hasPrefix("    ID  STATE"))
    #expect(outcome.output.hasSuffix("file.iso\n14:00:00     1  file.iso: paused\n"))
    #expect(context.dashboard.requests.isEmpty)
  }

  static let help = """
    OVERVIEW: Put the download on and walk away.

    A background service downloads the files; it continues after the dashboard, the
    terminal or the login session ends. Without a command, kettle shows the
    dashboard; so does "kettle top".

    Examples:
      kettle                                     show the dashboard
      kettle --host me@box                       the dashboard of another machine
      kettle --host me@box list                  a command on another machine
      kettle --host local --host me@box          the lists of two machines in one
      kettle --fleet                             the queue of several machines
      kettle demo                                try it without risk
      kettle get https://example.org/disk.iso    download a file and wait for it
      kettle add -i urls.txt                     queue a list of URLs
      kettle wait --all && echo all done         continue when everything is done

    Exit codes: 0 success, 1 a transfer failed, 2 usage error, 3 the service cannot
    be reached, 4 timeout, 130 interrupted.

    USAGE: kettle [<subcommand>] [<options>]

    OPTIONS:
      --ascii                 Draw the dashboard, get and list in ASCII only.
      --plain                 Print a line per change instead of the dashboard, for
                              screen readers and logs.
      --host <user@host>      With most commands: use another machine's service,
                              over your ssh. Can be repeated.
      --fleet                 With list, watch, wait, why, add, start, pause, stop,
                              remove, verify and repair: the fleet's queue.
      --version               Show the version.
      -h, --help              Show help information.

    DOWNLOAD SUBCOMMANDS:
      get                     Download files and wait for them.
      add                     Queue downloads and print their ids.

    INSPECT SUBCOMMANDS:
      list                    Show the transfers.
      why                     Say why a transfer does not move, and until when.
      watch                   Print events, one per line, until Ctrl-C.
      wait                    Wait until transfers are done.
      hosts                   Show what the service knows about hosts, or forget it.
      queues                  Show your queues, or move transfers between them.
      verify                  Compare finished files with what was downloaded.
      collections             Show your collections: folders, models and datasets.
      manifest                Print the files of a collection with their digests.

    CONTROL SUBCOMMANDS:
      start                   Start or resume transfers.
      pause                   Pause transfers and keep the downloaded bytes.
      stop                    Stop transfers and move their bytes to the bin.
      accept                  Accept a web page as the file, or a server that is
                              not trusted.
      remove                  Remove transfers from the list.
      limit                   Limit the speed of transfers, including running ones.
      reset                   Move the downloaded files to the bin and reset all
                              transfers.
      undo                    Undo the last action, with every byte.
      bin                     Show what can be undone, or delete it.
      repair                  Fetch the damaged parts of finished files again.
      sync                    Bring a collection up to date with its source.

    SERVICE SUBCOMMANDS:
      daemon                  Run, start, stop or inspect the service.
      fleet                   Share one queue between several machines.
      config                  Show, check and change the configuration file.
      theme                   List, show or choose the colors of the dashboard.
      rules                   Show the rules of the configuration file, or which
                              one applies to a URL.
      rpc                     Let programs that control aria2 control Kettle.
      browser                 Let browsers hand their downloads over to Kettle.
      session                 List, adopt or drop the sessions of programs.
      completion              Print a script with which a shell completes kettle's
                              words.
      demo                    Try the dashboard with files served by Kettle.

    """
}
