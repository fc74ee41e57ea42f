import KettleDashboard
import KettleModel
import Testing

/// The command line.
struct CommandScreenTests {
  private func opened(_ text: String, columns: Int = 80, rows: Int = 24) -> Dashboard {
    var model = Sample.model(columns: columns, rows: rows)
    _ = model.press(.character(":"))
    _ = model.type(text)
    return model
  }

  private func run(_ text: String) -> [DashboardEffect] {
    var model = opened(text)
    return model.press(.enter)
  }

  private func ids(_ numbers: Int64...) -> TransferSelection {
    .ids(numbers.map { TransferID(rawValue: $0) })
  }

  @Test func `a command applies to the row under the cursor, or to the given IDs`() {
    #expect(run("pause") == [.service(.control(.pause, ids(1)))])
    #expect(run("kettle stop") == [.service(.control(.stop, ids(1)))])
    #expect(run("resume 3 5") == [.service(.control(.start, ids(3, 5)))])
    #expect(run("pause --all") == [.service(.control(.pause, .all))])
    #expect(run("rm 4") == [.service(.remove(ids(4), withFile: false))])
    #expect(run("limit 500K") == [.service(.limit(ids(1), 512_000))])
    #expect(run("limit none --all") == [.service(.limit(.all, nil))])
    #expect(run("limit 1M 2") == [.service(.limit(ids(2), 1 << 20))])
    #expect(run("quit") == [.terminal(.leave)])
    #expect(run("clear-finished") == [.service(.clearFinished)])
    guard case .service(.add(let specs)) = run("add https://example.org/a http://b/c").first else {
      Issue.record("nothing was added")
      return
    }
    #expect(specs.map(\.url.text) == ["https://example.org/a", "http://b/c"])
  }

  @Test func `a command applies to the marked rows`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character(" "), .character(" "), .character(":"))
    _ = model.type("pause")
    #expect(model.press(.enter) == [.service(.control(.pause, ids(1, 2)))])
  }

  @Test func `an action opens its dialog, or says why it is not possible`() {
    var model = opened("reset")
    #expect(model.press(.enter) == [])
    #expect(model.keyContext == .question)
    model = opened("start")
    #expect(model.press(.enter) == [])
    #expect(model.said == "It is already running")
    #expect(model.keyContext == .list)
  }

  @Test(arguments: [
    ("frobnicate", "There is no command \"frobnicate\"; Tab shows the words"),
    ("pause x", "\"x\" is not the ID of a transfer"),
    ("limit fast", "Not a valid rate; write 500K, 1.5M or 1G, or nothing for no limit"),
    ("reset 4", "There is no command \"reset\"; Tab shows the words"),
  ])
  func `a problem is shown, and the line stays`(text: String, sentence: String) {
    var model = opened(text)
    #expect(model.press(.enter) == [])
    #expect(model.said == sentence)
    #expect(model.keyContext == .command)
  }

  @Test func `Tab completes a word as far as it is unambiguous`() {
    var model = opened("pau")
    _ = model.press(.tab)
    #expect(model.screen().lines[20] == " Command: pause")
    #expect(model.screen().lines[21].hasPrefix(" Pause it and keep"))
    _ = model.press(.control("u"))
    _ = model.type("clear-")
    _ = model.press(.tab, .enter)
    #expect(model.keyContext == .list)
  }

  @Test func `earlier commands are recalled`() {
    var model = opened("pause")
    _ = model.press(.enter, .character(":"))
    _ = model.type("x")
    _ = model.press(.up)
    #expect(model.screen().lines[20] == " Command: pause")
    _ = model.press(.down)
    #expect(model.screen().lines[20] == " Command: x")
  }

  @Test func `the command line shows the key that does the same`() {
    expectScreen(
      opened("pause", rows: 10).screen(),
      """
       Kettle   ↓ 12.6 MiB/s   ▶3 ≡1 ◷3 ·1 ◔2 ‖1 ○2 ✔1 ✘1             42 %  1:30 left
          File                     Progress               Size         Speed    Ready
       ▶  Networking Overview      ▃▃▃▃····  61 %  405/659 MiB    12.1 MiB/s    12:00┃
       ‖  iOS Technology Overview  ▃         22 %     6/29 MiB  paused               ┃
       ◷  Archive of 2025          ▃          0 %    0/1.2 GiB  retry in 12 s (503)  │
       ✔  AV Foundation Guide               100 %       11 MiB  ready           14:02│
       ▶  A stream withou… length  ███                 5.0 MiB     500 KiB/s         │
       Command: pause
       Pause it and keep the downloaded bytes, or resume it (the key is p)
       Enter run  Tab complete  Up earlier   Esc cancel  Ctrl-U clear line
      """)
    expectScreen(
      opened("s", columns: 40, rows: 10).screen(.ascii),
      """
       Kettle   v 12.6 MiB/s   *3 ~3 .1 +1 !1
          File                 %        Speed
       *  Networkin~rview   61 %   12.1 MiB/s#
       =  iOS Techn~rview   22 %  paused     #
       ~  Archive of 2025    0 %  12 s       |
       +  AV Founda~Guide  100 %  ready      |
       *  A stream ~ength           500 KiB/s|
       Command: s
       search  sort-left  sort-menu  sort-ri~
       Enter run  Tab complete   Esc cancel
      """)
  }
}
