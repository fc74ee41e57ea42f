import KettleDashboard
import KettleModel
import Testing

/// The add form on screens of all sizes.
struct AddScreenTests {
  private func model(
    columns: Int, rows: Int, _ text: String, fields: [AddField: String] = [:]
  ) -> Dashboard {
    var model = Sample.model(columns: columns, rows: rows)
    let places = UserDirectories(home: "/home/me", workingDirectory: "/srv")
    _ = model.update(.directoriesKnown(places), at: Sample.now)
    _ = model.press(.character("a"), .paste(text))
    for field in AddField.allCases {
      if let text = fields[field] { _ = model.press(.paste(text)) }
      _ = model.press(.tab)
    }
    return model
  }

  private let three = "https://example.org/a\nnfs://example.org/b\nhello world"
  private let settings: [AddField: String] = [
    .directory: "~/isos", .limit: "fast", .headers: "Referer: http://r/; Cookie: secret=1",
    .login: "me:secret",
  ]

  @Test func `an empty form explains each field`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("a"))
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 12.6 MiB/s  ▶3 ≡1 ◷2 ·1 ◔2 ‖1 ○2 ⚑1 ✔1 ✘1           42% ━━━───── 1:30 left
         File                  Progress                      Size      Speed    Left
       ▶ Networking Overview   ━━━━━━━━╸───────   61% 405/659 MiB 12.1 MiB/s    0:21
       ‖ iOS Technolog…erview  ━━━─────────────   22%    6/29 MiB     paused
       ◷ Archive of 2025       retry in 12 s (503)      0/1.2 GiB
       ✔ AV Foundation Guide   done 14:02                  11 MiB
       ▶ A stream with…length  ────━━━─────────           5.0 MiB  500 KiB/s
       ◷ Offline               waiting for network    3.0/9.0 MiB
      ╭─ Add ────────────────────────────────────────────────────────────────────────╮
      │ URLs        (one per line, or a curl command; Ctrl-J starts a new line)      │
      │ Options     Tab: directory, name, title, queue, limit, start, then run, che… │
      │                                                                              │
      │                                                                              │
      │                                                                              │
      ╰──────────────────────────────────────────────────────────────────────────────╯
       ○ New                   not started
       ▶ 文件传输指南 …第二版  ╸───────────────   10%  100/1000 B     10 B/s    1:30
      (5 empty lines)
                                                                                 1/15
       Enter add  Esc cancel  Ctrl-J next line  Tab next  Ctrl-U clear line
      """)
  }

  @Test func `each line shows its problem, and secrets are masked`() {
    var model = model(columns: 80, rows: 24, three, fields: settings)
    _ = model.press(.up)
    expectScreen(
      model.screen(),
      """
       ♨ ↓ 12.6 MiB/s  ▶3 ≡1 ◷2 ·1 ◔2 ‖1 ○2 ⚑1 ✔1 ✘1           42% ━━━───── 1:30 left
         File                  Progress                      Size      Speed    Left
       ▶ Networking Overview   ━━━━━━━━╸───────   61% 405/659 MiB 12.1 MiB/s    0:21
       ‖ iOS Technolog…erview  ━━━─────────────   22%    6/29 MiB     paused
       ◷ Archive of 2025       retry in 12 s (503)      0/1.2 GiB
      ╭─ Add ────────────────────────────────────────────────────────────────────────╮
      │ URLs      ✔ https://example.org/a                                            │
      │           ✘ nfs://example.org/b                                              │
      │           ✘ hello world                                     contains a space │
      │ Directory   ~/isos                                                           │
      │ Limit     ✘ fast                                                             │
      │ Headers     Referer: http://r/; Cookie:•••••••••                             │
      │ Login       me:••••••                                                        │
      │ Options     Tab: name, title, queue, start, then run, checksum, paused       │
      │ The URL "nfs://example.org/b" has the scheme "nfs"; only http, https, ftp,   │
      │ ftps and sftp are supported                                                  │
      │ 3 URLs, 2 invalid; Enter adds the valid one                                  │
      ╰──────────────────────────────────────────────────────────────────────────────╯
      (4 empty lines)
                                                                                 1/15
       Enter add  Esc cancel  Ctrl-J next line  Tab next  Ctrl-U clear line
      """)
    _ = model.press(.backTab, .backTab, .backTab, .backTab, .backTab)
    expectScreen(
      model.screen(.ascii),
      """
       k v 12.6 MiB/s  *3 #1 ~2 .1 @2 =1 o2 !1 +1 !1           42% ===..... 1:30 left
         File                  Progress                      Size      Speed    Left
      +- Add ------------------------------------------------------------------------+
      | URLs      + https://example.org/a                                            |
      |           ! nfs://example.org/b                               unknown scheme |
      |           ! hello world                                     contains a space |
      | Directory   ~/isos                                                           |
      | Name        (the server's file name)                                         |
      | Title       (the file name)                                                  |
      | Queue       (default; night, or night 01:00-06:00 to make it)                |
      | Limit     ! fast                                                             |
      | Start       (now; +90m, 2026-12-24T18:00)                                    |
      | Then run    (nothing; a program, such as unzip -o {path})                    |
      | Checksum    (none; sha256:HEX, sha512:, sha1:, md5:)                         |
      | Headers     Referer: http://r/; Cookie:*********                             |
      | Login       me:******                                                        |
      | Paused      no                                                               |
      | Write 500K or 1.5M; empty for no limit                                       |
      | 3 URLs, 2 invalid; Enter adds the valid one                                  |
      |                                                                              |
      +------------------------------------------------------------------------------+

                                                                                 1/15
       Enter add  Esc cancel  Ctrl-J next line  Tab next  Ctrl-U clear line
      """)
  }

  @Test func `a curl command is shown with its URL and a masked cookie`() {
    let text =
      "curl 'https://example.org/a.iso' \\\n  -H 'Cookie: secret=1' \\\n  -H 'Referer: http://r/'"
    expectScreen(
      model(columns: 100, rows: 30, text).screen(),
      """
       ♨ kettle   ↓ 12.6 MiB/s  ▶3 ≡1 ◷2 ·1 ◔2 ‖1 ○2 ⚑1 ✔1 ✘1                      42% ━━━───── 1:30 left
      ╭─┤¹speed├──────────────────────────────────────────────────────────────────────────────────┤3:12├─╮
      │ 15 MiB/s                                                                                       ⣶ │
      │                                                                                                ⣿ │
      │                                                                                                ⣿ │
      ╰─┤now 12.6 MiB/s · average 12.6 MiB/s · peak 12.6 MiB/s├──────────────────────────────────────────╯
      ╭─┤³downloads├───────────────────────────────────────────────────────────────────────┤queue order├─╮
      │   File                        Progress                           Size             Speed    Left  │
      │ ▶ Networking Overview         ━━━━━━━━━━━╸─────────   61% 405/659 MiB      ⢸ 12.1 MiB/s    0:21  │
      │ ‖ iOS Technology Overview     ━━━━─────────────────   22%    6/29 MiB            paused          │
      │ ◷ Archive of 2025             retry in 12 s (503)           0/1.2 GiB                            │
      ╭─ Add ────────────────────────────────────────────────────────────────────────────────────────────╮
      │ URLs      ✔ curl 'https://example.org/a.iso' -H 'Cookie:•••••••••• -H 'Referer: http://r/'       │
      │ Options     Tab: directory, name, title, queue, limit, start, then run, checksum, headers, logi… │
      │ with 2 headers: https://example.org/a.iso                                                        │
      │ 1 URL; Enter adds it                                                                             │
      │                                                                                                  │
      ╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
      │ ✘ Gone                        host not found              1.0/4.0 MiB                            │
      │ ≡ Checksummed                 ━━━━━━━━━━━━━━━━━━━━━  100%     700 MiB         verifying          │
      │ ○ Stopped                     stopped                                                            │
      │ ○ New                         not started                                                        │
      │ ▶ 文件传输指南 🚀 第二版      ━╸───────────────────   10%  100/1000 B      ⢀     10 B/s    1:30  │
      │                                                                                                  │
      │                                                                                                  │
      │                                                                                                  │
      │                                                                                                  │
      │                                                                                                  │
      ╰─┤1/15├─────────────────────────────────────────────────────────────────┤181 GiB left afterwards├─╯
       Enter add  Esc cancel  Ctrl-J next line  Tab next  Ctrl-U clear line
      """)
  }

  @Test func `hundreds of lines leave room for the fields`() {
    let lines = (1...300).map { "https://example.org/\($0 % 299)" }.joined(separator: "\n")
    var model = model(columns: 140, rows: 40, lines)
    let found = DuplicateSearch.Found(id: TransferID(rawValue: 17), state: .running)
    _ = model.update(.duplicatesFound(["https://example.org/298": found]), at: Sample.now)
    expectScreen(
      model.screen(),
      """
       ♨ kettle   ↓ 12.6 MiB/s    ▶ 3  ≡ 1  ◷ 2  · 1  ◔ 2  ‖ 1  ○ 2  ⚑ 1 needs you  ✔ 1  ✘ 1                         42% ━━━━━───────── 1:30 left
      ╭─┤¹speed├────────╭─ Add ────────────────────────────────────────────────────────────────────────────────────────────────╮─────────────────╮
      │ 15 MiB/s        │ URLs      ✔ https://example.org/269                                                                  │                 │
      │                 │           ✔ https://example.org/270                                                                  │                 │
      │                 │           ✔ https://example.org/271                                                                  │                 │
      │ 7.5 MiB/s       │           ✔ https://example.org/272                                                                  │                 │
      │                 │           ✔ https://example.org/273                                                                  │                 │
      │                 │           ✔ https://example.org/274                                                                  │ left afterwards │
      ╰─┤now 12.6 MiB/s │           ✔ https://example.org/275                                                                  │─────────────────╯
      ╭─┤³downloads├────│           ✔ https://example.org/276                                                                  │───┤queue order├─╮
      │   File          │           ✔ https://example.org/277                                                                  │st               │
      │ ▶ Networking Ove│           ✔ https://example.org/278                                                                  │example.org      │
      │ ‖ iOS Technology│           ✔ https://example.org/279                                                                  │example.org      │
      │ ◷ Archive of 202│           ✔ https://example.org/280                                                                  │example.org      │
      │ ✔ AV Foundation │           ✔ https://example.org/281                                                                  │example.org      │
      │ ▶ A stream witho│           ✔ https://example.org/282                                                                  │example.org      │
      │ ◷ Offline       │           ✔ https://example.org/283                                                                  │example.org      │
      │ ⚑ Members only  │           ✔ https://example.org/284                                                                  │log in  s retry  │
      │ · Next in line  │           ✔ https://example.org/285                                                                  │example.org      │
      │ ◔ At night      │           ✔ https://example.org/286                                                                  │example.org      │
      │ ◔ At Christmas  │           ✔ https://example.org/287                                                                  │example.org      │
      │ ✘ Gone          │           ✔ https://example.org/288                                                                  │example.org      │
      │ ≡ Checksummed   │           ✔ https://example.org/289                                                                  │example.org      │
      │ ○ Stopped       │           ✔ https://example.org/290                                                                  │example.org      │
      │ ○ New           │           ✔ https://example.org/291                                                                  │example.org      │
      │ ▶ 文件传输指南  │           ✔ https://example.org/292                                                                  │example.org      │
      │                 │           ✔ https://example.org/293                                                                  │                 │
      │                 │           ✔ https://example.org/294                                                                  │                 │
      │                 │           ✔ https://example.org/295                                                                  │                 │
      │                 │           ✔ https://example.org/296                                                                  │                 │
      │                 │           ✔ https://example.org/297                                                                  │                 │
      │                 │           ✔ https://example.org/298                              already in the list as 17 (running) │                 │
      │                 │           ✔ https://example.org/0                                                                    │                 │
      │                 │           ✔ https://example.org/1                                                                    │                 │
      │                 │ Options     Tab: directory, name, title, queue, limit, start, then run, checksum, headers, login, p… │                 │
      │                 │ also on another line                                                                                 │                 │
      │                 │ 300 URLs, 1 repeated, 1 already in the list; Enter adds them                                         │                 │
      │                 │                                                                                                      │                 │
      ╰─┤1/15├──────────╰──────────────────────────────────────────────────────────────────────────────────────────────────────╯─────────────────╯
       Enter add  Esc cancel  Ctrl-J next line  Tab next  Ctrl-U clear line
      """)
  }

  @Test func `the keys and the title stay visible below and above many lines`() {
    let lines = (1...60).map { "https://example.org/%E6%9D%B1%20\($0)" }
    for (columns, rows) in [(80, 24), (120, 35), (80, 16)] {
      let text = model(columns: columns, rows: rows, lines.joined(separator: "\n")).screen().lines
      #expect(text[0].hasPrefix(" ♨ "))
      let keys = text[ListLayout(size: ScreenSize(columns: columns, rows: rows)).footerTop]
      #expect(keys.hasPrefix(" Enter add  Esc cancel  Ctrl-J next line"), "\(columns)x\(rows)")
    }
  }

  @Test func `escapes are decoded, except in the line with the cursor`() {
    let url = "https://example.org/%E6%9D%B1%E4%BA%AC%20map.pdf"
    var model = model(columns: 80, rows: 24, url + "\n" + url + "?a\nhttps://me:a%20b@c/%20x")
    _ = model.press(.up)
    let text = model.screen().lines
    #expect(text.contains { $0.contains("✔ https://example.org/東京 map.pdf ") })
    #expect(text.contains { $0.contains("✔ \(url)?a ") })
    #expect(text.contains { $0.contains("@c/%20x ") })
  }

  @Test func `a small screen shows the focused field and its problem`() {
    var model = model(
      columns: 40, rows: 10, "https://example.org/a-name-longer-than-the-form.iso\nx")
    let frame = model.screen()
    expectScreen(
      frame,
      """
       ♨ ↓ 12.6 MiB/s  ▶3 ◷2 ·1 ‖1 ⚑1 ✔1 ✘1
      ╭─ Add ────────────────────────────────╮
      │ URLs      ✔ https://example.org/a-n… │
      │           ✘ x                        │
      │ Options     Tab: directory, name, t… │
      │ The URL "x" has no scheme; start it  │
      │ with https:// or http://             │
      ╰──────────────────────────────────────╯
                                         1/15
       Enter add  Esc cancel  Tab next
      """)
    #expect(frame.cursor.map { frame.lines[$0.row].contains("✘ x") } == true)
    _ = model.press(.backTab, .backTab)
    expectScreen(
      model.screen(.ascii),
      """
      +- Add --------------------------------+
      | Start       (now; +90m, 2026-12-24T~ |
      | Then run    (nothing; a program, su~ |
      | Checksum    (none; sha256:HEX, sha5~ |
      | Headers     (none; Name: value; Nam~ |
      | Login       (none; user:password)    |
      | 2 URLs, 1 invalid; Enter adds the v~ |
      |                                      |
      +--------------------------------------+
       Enter add  Esc cancel  Tab next
      """)
  }

  @Test(arguments: AddField.allCases)
  func `the cursor is within the form for every field and size`(field: AddField) {
    for (columns, rows) in [(36, 8), (40, 10), (80, 24), (100, 30), (140, 40)] {
      var model = model(columns: columns, rows: rows, three)
      let index = AddField.allCases.firstIndex(of: field) ?? 0
      for _ in 0..<index { _ = model.press(.tab) }
      let frame = model.screen()
      #expect(frame.cursor != nil, "\(columns)x\(rows)")
      expectSound(frame, .text)
    }
  }
}
