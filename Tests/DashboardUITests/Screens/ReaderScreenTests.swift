import DashboardUI
import Testing
import TransferModel

struct ReaderScreenTests {
  private func details(columns: Int, rows: Int) -> DashboardModel {
    var model = Sample.model(columns: columns, rows: rows)
    _ = model.press(.enter)
    _ = model.update(.detailsArrived(Sample.details), at: Sample.now)
    return model
  }

  @Test func `the details show everything in 140 columns`() {
    expectScreen(
      details(columns: 140, rows: 40).screen(),
      """
       Kettle   Details
       Networking Overview
       █████████████████████████████████████████████████████████████▌
       State           running
       Note            Began again from zero: the server has another version of the file
       Progress        405/659 MiB, 61 %
       Speed           12.1 MiB/s
       Time left       0:21
       Connections     4
       Priority        normal
       Added           2026-11-21 11:00:00
       Retries         2

       From and to
       URL             https://example.org/files/1
       Redirected to   https://cdn.example.org/abc/Networking.pdf?token=very-long-token-012345678901234567890123456789012345678901234567890123456
                       78901234567890123456789
       File            /home/me/Downloads/Networking.pdf
       Partial file    /home/me/Downloads/Networking.pdf.part
       Session         kettle

       What is there
       █████████████████████████████████████████████░░░░░░░░░░░░░░░░███████████████░░░░░░░░░░░░░░░░░░░░░░░░
       from 0 B to 300 MiB
       from 400 MiB to 502 MiB

       What the server said
       Status          206
       ETag            "5f-1a"
       Content-Type: application/pdf
       Server: nginx

       History
       2026-11-21 11:59:00  queued
       2026-11-21 11:59:01  running
      (4 empty lines)
       Esc back   ? help
      """)
  }

  @Test func `the details scroll in 80 columns`() {
    var model = details(columns: 80, rows: 24)
    expectScreen(
      model.screen(),
      """
       Kettle   Details                                           lines 1 to 22 of 36
       Networking Overview
       ████████████████████████████████████████████████
       State           running
       Note            Began again from zero: the server has another version of the
                       file
       Progress        405/659 MiB, 61 %
       Speed           12.1 MiB/s
       Time left       0:21
       Connections     4
       Priority        normal
       Added           2026-11-21 11:00:00
       Retries         2

       From and to
       URL             https://example.org/files/1
       Redirected to   https://cdn.example.org/abc/Networking.pdf?token=very-long-tok
                       en-01234567890123456789012345678901234567890123456789012345678
                       901234567890123456789
       File            /home/me/Downloads/Networking.pdf
       Partial file    /home/me/Downloads/Networking.pdf.part
       Session         kettle

       Esc back  PgDn more   ? help
      """)
    _ = model.press(.end)
    expectScreen(
      model.screen(),
      """
       Kettle   Details                                          lines 15 to 36 of 36
       URL             https://example.org/files/1
       Redirected to   https://cdn.example.org/abc/Networking.pdf?token=very-long-tok
                       en-01234567890123456789012345678901234567890123456789012345678
                       901234567890123456789
       File            /home/me/Downloads/Networking.pdf
       Partial file    /home/me/Downloads/Networking.pdf.part
       Session         kettle

       What is there
       ███████████████████████████████████░░░░░░░░░░░░░███████████░░░░░░░░░░░░░░░░░░░
       from 0 B to 300 MiB
       from 400 MiB to 502 MiB

       What the server said
       Status          206
       ETag            "5f-1a"
       Content-Type: application/pdf
       Server: nginx

       History
       2026-11-21 11:59:00  queued
       2026-11-21 11:59:01  running
       Esc back   ? help
      """)
  }

  @Test func `the details fold in 40 columns`() {
    expectScreen(
      details(columns: 40, rows: 10).screen(.ascii),
      """
       Kettle   Details    lines 1 to 8 of 44
       Networking Overview
       [######################>             ]
       State           running
       Note            Began again from zero:
                       the server has another
                       version of the file
       Progress        405/659 MiB, 61 %
       Speed           12.1 MiB/s
       Esc back  PgDn more   ? help
      """)
  }

  @Test func `details that cannot be had say why`() {
    var model = Sample.model(columns: 60, rows: 10)
    _ = model.press(.enter)
    _ = model.update(
      .commandFinished(
        .detailsFailed(TransferID(rawValue: 1), sentence: "The service is ending; try again")),
      at: Sample.now)
    #expect(model.screen().lines[1] == " The service is ending; try again")
  }

  @Test func `the help is made from the bindings`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("?"))
    expectScreen(
      model.screen(),
      """
       Kettle   Keys                                             lines 1 to 22 of 104
       The marked transfers, else the one under the cursor
       s               Start it, or go on with it; what waits is tried at once
       p               Pause it and keep what was fetched; a paused one goes on
       x               Stop it; what was fetched so far is thrown away
       Enter           Show all about it
       d Del           Take it off the list, after a question; a finished file stays
       D               Take it off the list and delete its finished file, after a
                       question
       u               Give it a fresh link and go on; what was fetched is kept when
                       it is the same file
       l               Limit its speed, or take the limit away

       All transfers
       S               Start everything that is neither running nor finished
       X               Stop everything unfinished; what was fetched of it is thrown
                       away
       P               Pause everything unfinished
       R               Delete the finished files and begin again with an untouched
                       list, after a question
       a paste         Add one URL or many: type them, or paste them right here

       Marks, filter, search and order
       Esc back  PgDn more   ? help
      """)
  }

  @Test func `every binding is in the help`() {
    var model = Sample.model(columns: 140, rows: 200)
    _ = model.press(.character("?"))
    let text = model.screen().lines.joined(separator: "\n")
    for binding in Bindings.all {
      #expect(text.contains(binding.description), "\(binding.keyNames)")
    }
  }

  @Test func `files that a reset kept are named`() {
    var model = Sample.model(columns: 80, rows: 12)
    _ = model.update(
      .commandFinished(.reset(deletedCount: 2, keptPaths: ["/home/me/Downloads/mine.pdf"])),
      at: Sample.now)
    expectScreen(
      model.screen(),
      """
       Kettle   Reset
       2 files deleted, everything is back at the start

       1 file left alone: changed by others, or they cannot be deleted
       /home/me/Downloads/mine.pdf
      (6 empty lines)
       Esc back   ? help
      """)
  }
}
