import Testing

@testable import KettleRPC

struct Aria2CommandLineTests {
  private func line(_ words: String...) throws -> Aria2CommandLine { try Aria2CommandLine(words) }

  @Test func `options and URIs are read in every form`() throws {
    let line = try line(
      "-x16", "-s", "8", "-k1M", "-c", "-d", "/d", "--out=o", "--header", "A: 1", "--header=B: 2",
      "--allow-overwrite=true", "--auto-file-renaming=false", "--continue", "http://a/", "-qZ",
      "--", "--not-an-option")
    #expect(line.uris == ["http://a/", "--not-an-option"])
    #expect(
      line.options == [
        "max-connection-per-server": "16", "split": "8", "min-split-size": "1M",
        "continue": "true", "dir": "/d", "out": "o", "header": ["A: 1", "B: 2"],
        "allow-overwrite": "true", "auto-file-renaming": "false", "quiet": "true",
        "force-sequential": "true",
      ])
  }

  /// What yt-dlp passes for one file (its external downloader for aria2c).
  @Test func `the command line of yt-dlp is understood`() throws {
    let line = try line(
      "-c", "--no-conf", "--stderr", "--console-log-level=warn", "--summary-interval=0",
      "--download-result=hide", "--http-accept-gzip=true", "--file-allocation=none", "-x16", "-j16",
      "-s16", "--min-split-size", "1M", "--load-cookies=/tmp/c", "--header", "Accept: */*",
      "--check-certificate=true", "--remote-time=true", "--show-console-readout=false",
      "--auto-file-renaming=false", "--allow-overwrite=true", "--always-resume=false",
      "--force-save=false", "--enable-rpc", "--rpc-listen-port=19190", "--rpc-secret=abcdefgh",
      "--dir", "/d/", "--out", "f.part", "--", "https://a.example/v")
    #expect(line.uris == ["https://a.example/v"])
    #expect(line.options["rpc-secret"] == "abcdefgh")
    #expect(line.options["dir"] == "/d/")
    #expect(throws: Never.self) { try RPCChoices(line.options.filter { $0.key != "load-cookies" }) }
  }

  @Test(arguments: [
    (["--no-such-option"], "There is no option --no-such-option"),
    (["-w"], "There is no option -w"),
    (["--dir"], "The option --dir needs a value"), (["-d"], "The option -d needs a value"),
  ])
  func `a line that aria2c refuses is refused`(words: [String], sentence: String) {
    do throws(Aria2CommandLine.Problem) {
      _ = try Aria2CommandLine(words)
      Issue.record("accepted")
    } catch {
      #expect(error.sentence.hasPrefix(sentence))
    }
  }

  @Test func `a configuration file yields to the command line`() throws {
    var line = try line("-d", "/mine")
    line.addConfiguration(
      "# comment\ndir=/theirs\n split = 4 \nheader=A: 1\nheader=B: 2\nnothing\n")
    #expect(line.options["dir"] == "/mine")
    #expect(line.options["split"] == "4")
    #expect(line.options["header"] == ["A: 1", "B: 2"])
  }

  @Test func `options are taken once`() throws {
    var line = try line("--quiet", "--dir=", "--split=3")
    let flags = [line.takeFlag("quiet"), line.takeFlag("quiet")]
    #expect(flags == [true, false])
    let values = [line.take("dir"), line.take("split")]
    #expect(values == [nil, "3"])
    #expect(line.options == [:])
  }

  @Test func `a list has URIs with options of their own`() {
    let file = Aria2InputFile(
      """
      # fragments
      http://a/1\thttp://b/1
        out=one
       header=A: 1
       header=B: 2
      http://a/2
      \tout=two
      """)
    #expect(
      file.entries == [
        .init(
          uris: ["http://a/1", "http://b/1"],
          options: ["out": "one", "header": ["A: 1", "B: 2"]]),
        .init(uris: ["http://a/2"], options: ["out": "two"]),
      ])
    #expect(Aria2InputFile(" out=x\n\n").entries == [])
  }
}
