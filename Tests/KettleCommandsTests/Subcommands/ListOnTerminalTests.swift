import KettleModel
import Testing

@testable import KettleCommands

/// The complete output of `list` on terminals of several widths, and in a pipe.
@Suite(.timeLimit(.minutes(5)))
struct ListOnTerminalTests {
  private static let terminal = ["TERM": "xterm-256color", "LANG": "de_DE.UTF-8"]

  private static var rows: [TransferSnapshot] {
    var running = snapshot(
      1, .running, url: "https://releases.ubuntu.com/a", title: "ubuntu-24.04.2-desktop-amd64.iso")
    running.bytesReceived = 421_527_552
    running.bytesExpected = 691_011_584
    running.bytesPerSecond = 12_687_769
    running.readyAt = WallTime(millisecondsSince1970: FakeClock.start + 21_000)
    var queued = snapshot(
      2, .queued, url: "https://media.example.org/b",
      title: "Kettle in Ten Minutes, Part 2 of 3 (1080p).mkv")
    queued.bytesExpected = 1_288_490_189
    queued.readyAt = WallTime(millisecondsSince1970: FakeClock.start + 3_600_000)
    var slots = HeldBack(.slot)
    (slots.rank, slots.used, slots.allowed) = (4, 3, 3)
    queued.heldBack = slots
    var retrying = snapshot(
      3, .waiting, url: "https://cdn.kernel.org/c", title: "linux-6.12.tar.xz")
    retrying.reason = .retry
    retrying.error = TransferFailure(.connectionRefused, on: "cdn.kernel.org")
    retrying.goesOnAt = WallTime(millisecondsSince1970: FakeClock.start + 12_000)
    retrying.bytesReceived = 54_525_952
    retrying.bytesExpected = 155_189_248
    return [running, queued, retrying] + endedRows
  }

  private static var endedRows: [TransferSnapshot] {
    var locked = snapshot(4, .waiting, url: "https://example.org/d", title: "Archive of 2025.zip")
    locked.reason = .needsLogin
    locked.error = TransferFailure(.loginNeeded, on: "example.org")
    let lost = "https://cdimage.debian.org/e"
    var failed = snapshot(5, .failed, url: lost, title: "debian-12.5.0-amd64-DVD-1.iso")
    failed.error = TransferFailure(.httpStatus, on: lost, detail: "404")
    var done = snapshot(6, .completed, url: "https://example.org/f", title: "日本語のガイド.pdf")
    done.bytesReceived = 11_534_336
    done.bytesExpected = 11_534_336
    done.finishedAt = WallTime(millisecondsSince1970: FakeClock.start - 60_000)
    done.verifiedBy = .sha256
    var paused = snapshot(7, .paused, url: "https://example.org/g", title: "moonlight-sonata.flac")
    paused.bytesReceived = 31_457_280
    paused.bytesExpected = 41_943_040
    return [locked, failed, done, paused]
  }

  private func list(
    _ arguments: String..., columns: Int?, _ environment: [String: String] = Self.terminal,
    rows: [TransferSnapshot] = Self.rows
  ) async -> String {
    var context = FakeContext()
    context.service = FakeService(rows)
    context.console = FakeConsole(outputColumns: columns)
    context.environment.merge(environment) { $1 }
    return await context.run(["list"] + arguments).output
  }

  @Test(
    arguments: zip([60, 80, 120, 200], [tableOf60, tableOf80, tableOf120, tableOf200]))
  func `on a terminal the table fits the width and has the colors of the states`(
    columns: Int, table: String
  ) async {
    let output = await list(columns: columns)
    #expect(visible(output) == table)
    let widths = withoutStyles(table).split(separator: "\n").map {
      ColumnText.width(of: String($0))
    }
    #expect(widths.allSatisfy { $0 <= columns })
    let colorless = await list(
      columns: columns, Self.terminal.merging(["NO_COLOR": "1"]) { $1 })
    #expect(colorless == withoutStyles(table))
  }

  @Test func `a terminal of unknown abilities gets ASCII without colors`() async {
    for environment in [["TERM": "dumb", "LANG": "C.UTF-8"], ["LANG": "C.UTF-8"]] {
      #expect(await list(columns: 80, environment) == Self.asciiTable)
    }
  }

  @Test func `a locale without UTF-8, and --ascii, get ASCII with colors`() async {
    let inLocale = await list(columns: 80, ["TERM": "xterm", "LANG": "C"])
    #expect(visible(inLocale).contains("  <cyan>[###---]</> 61%"))
    #expect(withoutStyles(visible(inLocale)) == Self.asciiTable)
    #expect(await list("--ascii", columns: 80) == inLocale)
  }

  @Test func `a pipe gets all columns and names, without colors or bars`() async {
    #expect(await list(columns: nil) == Self.pipeTable)
  }

  @Test func `JSON has no colors`() async {
    let output = await list("--json", columns: 80)
    #expect(output == (await list("--json", columns: nil)))
    #expect(!output.contains("\u{1B}"))
  }

  @Test func `columns that no row needs are left out`() async {
    #expect(
      await list(columns: 80, rows: [snapshot(12, .idle, title: "a.iso")]).split(separator: "\n")
        .map { visible(String($0)) } == [
          "<underline>ID</>  <underline>STATE</>   <underline>FILE</>   <underline>HOST</>",
          "12  <dim>○ idle</>  a.iso  <dim>example.org</>",
        ])
  }

  // Fault 128
  @Test func `hostile names cannot control a terminal with colors`() async {
    let hostile = ListCommandTests.hostile
    var row = snapshot(1, .failed, url: "https://" + hostile, title: hostile)
    row.error = TransferFailure(.httpStatus, on: hostile, detail: hostile)
    for columns in [1, 10, 60, 200] {
      let output = visible(await list(columns: columns, rows: [row]))
      let stray = output.unicodeScalars.filter { ($0.isControl || $0.isInvisible) && $0 != "\n" }
      #expect(stray.isEmpty)
      #expect(!output.contains("<?"))
    }
  }
}

// MARK: - Tables

extension ListOnTerminalTests {
  fileprivate static let tableOf60 = """
    <underline>ID</>  <underline>STATE</>             <underline>FILE</>                        <underline>%</>     <underline>LEFT</>
     1  <cyan>▶ running</>         ubuntu-24.04.2-…md64.iso  61%     0:21
     2  <dim>· #4 slots full</>   Kettle in Ten M…80p).mkv       1:00:00
     3  <yellow>◷ retry in 12 s</>   linux-6.12.tar.xz         35%
        "cdn.kernel.org" refused the connection; it will be
        retried
     4  <bold red>⚑ needs a login</>   Archive of 2025.zip
        "example.org" requires a login; give one with kettle
        start ID --user NAME, which keeps everything
     5  <bold red>✘ failed: 404</>     debian-12.5.0-a…VD-1.iso
        The server responded to "https://cdimage.debian.org/e"
        with 404; check the link, then start it again
     6  <dim>✔ done 13:59</>      日本語のガイド.pdf
     7  <yellow>‖ paused</>          moonlight-sonata.flac     75%

    """

  fileprivate static let tableOf80 = """
    <underline>ID</>  <underline>STATE</>            <underline>FILE</>                      <underline>PROGRESS</>           <underline>SPEED</>     <underline>LEFT</>
     1  <cyan>▶ running</>        ubuntu-24.04.2-…md64.iso  <cyan>━━━━</><dim>────</> 61%  12.1 MiB/s     0:21
     2  <dim>· #4 slots full</>  Kettle in Ten M…80p).mkv                            1:00:00
     3  <yellow>◷ retry in 12 s</>  linux-6.12.tar.xz         <yellow>━━</><dim>──────</> 35%
        "cdn.kernel.org" refused the connection; it will be retried
     4  <bold red>⚑ needs a login</>  Archive of 2025.zip
        "example.org" requires a login; give one with kettle start ID --user NAME,
        which keeps everything
     5  <bold red>✘ failed: 404</>    debian-12.5.0-a…VD-1.iso
        The server responded to "https://cdimage.debian.org/e" with 404; check the
        link, then start it again
     6  <dim>✔ done 13:59</>     日本語のガイド.pdf
     7  <yellow>‖ paused</>         moonlight-sonata.flac     <yellow>━━━━━━</><dim>──</> 75%

    """

  fileprivate static let tableOf120 = """
    <underline>ID</>  <underline>STATE</>                          <underline>FILE</>                               <underline>PROGRESS</>                 <underline>SIZE</>       <underline>SPEED</>     <underline>LEFT</>
     1  <cyan>▶ running</>                      ubuntu-24.04.2-desktop-amd64.iso   <cyan>━━━━━━━</><dim>─────</> 61%  402/659 MiB  12.1 MiB/s     0:21
     2  <dim>· #4 in queue, slots full 3/3</>  Kettle in Ten Minutes…(1080p).mkv                      0/1.2 GiB              1:00:00
     3  <yellow>◷ retry in 12 s (refused)</>      linux-6.12.tar.xz                  <yellow>━━━━</><dim>────────</> 35%   52/148 MiB
        "cdn.kernel.org" refused the connection; it will be retried
     4  <bold red>⚑ needs a login</>                Archive of 2025.zip
        "example.org" requires a login; give one with kettle start ID --user NAME, which keeps everything
     5  <bold red>✘ failed: 404</>                  debian-12.5.0-amd64-DVD-1.iso
        The server responded to "https://cdimage.debian.org/e" with 404; check the link, then start it again
     6  <dim>✔ done 13:59, sha256 matches</>   日本語のガイド.pdf                                        11 MiB
     7  <yellow>‖ paused</>                       moonlight-sonata.flac              <yellow>━━━━━━━━━</><dim>───</> 75%    30/40 MiB

    """

  fileprivate static let tableOf200 = """
    <underline>ID</>  <underline>STATE</>                          <underline>FILE</>                                            <underline>PROGRESS</>                     <underline>SIZE</>       <underline>SPEED</>     <underline>LEFT</>  <underline>HOST</>
     1  <cyan>▶ running</>                      ubuntu-24.04.2-desktop-amd64.iso                <cyan>━━━━━━━━━</><dim>───────</> 61%  402/659 MiB  12.1 MiB/s     0:21  <dim>releases.ubuntu.com</>
     2  <dim>· #4 in queue, slots full 3/3</>  Kettle in Ten Minutes, Part 2 of 3 (1080p).mkv                          0/1.2 GiB              1:00:00  <dim>media.example.org</>
     3  <yellow>◷ retry in 12 s (refused)</>      linux-6.12.tar.xz                               <yellow>━━━━━</><dim>───────────</> 35%   52/148 MiB                       <dim>cdn.kernel.org</>
        "cdn.kernel.org" refused the connection; it will be retried
     4  <bold red>⚑ needs a login</>                Archive of 2025.zip                                                                                     <dim>example.org</>
        "example.org" requires a login; give one with kettle start ID --user NAME, which keeps everything
     5  <bold red>✘ failed: 404</>                  debian-12.5.0-amd64-DVD-1.iso                                                                           <dim>cdimage.debian.org</>
        The server responded to "https://cdimage.debian.org/e" with 404; check the link, then start it again
     6  <dim>✔ done 13:59, sha256 matches</>   日本語のガイド.pdf                                                         11 MiB                       <dim>example.org</>
     7  <yellow>‖ paused</>                       moonlight-sonata.flac                           <yellow>━━━━━━━━━━━━</><dim>────</> 75%    30/40 MiB                       <dim>example.org</>

    """

  fileprivate static let asciiTable = """
    ID  STATE            FILE                      PROGRESS           SPEED     LEFT
     1  running          ubuntu-24.04.2-~md64.iso  [###---] 61%  12.1 MiB/s     0:21
     2  #4 slots full    Kettle in Ten M~80p).mkv                            1:00:00
     3  retry in 12 s    linux-6.12.tar.xz         [##----] 35%
        "cdn.kernel.org" refused the connection; it will be retried
     4  needs a login    Archive of 2025.zip
        "example.org" requires a login; give one with kettle start ID --user NAME,
        which keeps everything
     5  failed: 404      debian-12.5.0-a~VD-1.iso
        The server responded to "https://cdimage.debian.org/e" with 404; check the
        link, then start it again
     6  done 13:59       ???????.pdf
     7  paused           moonlight-sonata.flac     [####--] 75%

    """

  fileprivate static let pipeTable = """
        ID  STATE            %              SIZE         SPEED     LEFT  FILE
         1  running        61%       402/659 MiB    12.1 MiB/s     0:21  ubuntu-24.04.2-desktop-amd64.iso
         2  queued                     0/1.2 GiB                1:00:00  Kettle in Ten Minutes, Part 2 of 3 (1080p).mkv
         3  retrying       35%        52/148 MiB                         linux-6.12.tar.xz
            "cdn.kernel.org" refused the connection; it will be retried
         4  needs login                                                  Archive of 2025.zip
            "example.org" requires a login; give one with kettle start ID --user NAME, which keeps everything
         5  failed                                                       debian-12.5.0-amd64-DVD-1.iso
            The server responded to "https://cdimage.debian.org/e" with 404; check the link, then start it again
         6  done          100%            11 MiB                         日本語のガイド.pdf
         7  paused         75%         30/40 MiB                         moonlight-sonata.flac

    """
}
