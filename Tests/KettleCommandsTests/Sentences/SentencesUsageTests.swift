import KettleModel
import Testing

@testable import KettleCommands

/// The exact message for every possible command line error.
struct SentencesUsageTests {
  static let all: [(UsageProblem, String)] = lists + commands + values + places

  static let lists: [(UsageProblem, String)] = [
    (
      .url("example.org", .schemeMissing),
      "The URL \"example.org\" has no scheme; start it with https:// or http://"
    ),
    (
      .list(.line(3, "x", .schemeMissing), name: "urls.txt"),
      "Line 3 of \"urls.txt\": The URL \"x\" has no scheme; start it with https:// or http://"
    ),
    (
      .list(.lineNotText(3), name: "-"),
      "Line 3 of standard input is not UTF-8 text; save the list as UTF-8"
    ),
    (
      .list(.moreLines(1, isAll: true), name: "-"),
      "1 more line of standard input is not valid either; check that it is a list of URLs"
    ),
    (
      .list(.moreLines(2, isAll: true), name: "l"),
      "2 more lines of \"l\" are not valid either; check that it is a list of URLs"
    ),
    (
      .list(.moreLines(980, isAll: false), name: "l"),
      "At least 980 more lines of \"l\" are not valid either; check that it is a list of URLs"
    ),
    (
      .list(.unreadable(detail: "Permission denied"), name: "l"),
      "The list \"l\" cannot be read (Permission denied); check its path and permissions"
    ),
    (
      .list(.lineTooLong(1), name: "/dev/zero"),
      "Line 1 of \"/dev/zero\" is longer than 65536 bytes; check that it is a list of URLs"
    ),
    (
      .list(.directory, name: "d"),
      "\"d\" is a directory; give a file with one URL on each line"
    ),
    (
      .list(.device, name: "/dev/sda"),
      "\"/dev/sda\" is a device; give a file with one URL on each line"
    ),
    (
      .list(.fifoWithoutWriter, name: "p"),
      "Nothing writes to the FIFO \"p\"; start its writer first"
    ),
    (.list(.empty, name: "l"), "There is no URL in \"l\"; write one on each line"),
  ]

  static let commands: [(UsageProblem, String)] = [
    (
      .command(.rangeHeader),
      "A header cannot request a range, because Kettle divides the file itself; leave it out, and "
        + "for a part of the file use \"curl -r\""
    ),
    (
      .command(.keyWithoutCertificate("k.pem")),
      "The key \"k.pem\" belongs to a certificate; give that with --cert"
    ),
    (
      .command(.streamWithoutStandardOutput),
      "--stream passes the bytes on as they arrive and needs \"-o -\"; add it"
    ),
    (
      .command(.streamAndDecode),
      "--stream passes the bytes on as they arrive and --decode unpacks them when all are there; "
        + "give one of them"
    ),
    (
      .command(.standardOutputForSeveral(count: 2)),
      "\"-o -\" is for one file but 2 URLs were given; get them one by one"
    ),
    (
      .command(.standardOutputWithJSON),
      "\"-o -\" and --json both write to standard output; leave one of them out"
    ),
    (
      .command(.standardOutputAndContinue),
      "\"-o -\" has no file that --continue could continue; leave one of them out"
    ),
    (
      .command(.standardOutputAndHook),
      "The file of \"-o -\" is not kept for the program of --then; leave one of them out"
    ),
    (
      .command(.standardOutputOverHost),
      "\"-o -\" reads the file, which is on the other machine; leave it out, and copy the file whose "
        + "path \"kettle get\" prints"
    ),
    (
      .command(.nothingToAdd),
      "No URL was given; write \"kettle add URL\", or \"kettle add -i FILE\" for a list"
    ),
    (
      .command(.nameForSeveral(count: 2)),
      "-o names one file but 2 URLs were given; leave it out, or add them one by one"
    ),
    (
      .command(.checksumForSeveral(count: 2)),
      "--checksum applies to one file but 2 URLs were given; add them one by one"
    ),
    (
      .command(.mirrorForSeveral(count: 2)),
      "--mirror applies to one file but 2 URLs were given; add them one by one"
    ),
    (
      .command(.twoChecksums),
      "--checksum and --checksum-url exclude each other; give one of them"
    ),
    (
      .command(.linkForSeveral),
      "--url and --user apply to one transfer; give exactly one id"
    ),
    (
      .command(.pausedGet),
      "\"kettle get\" waits for the file, but --paused would not start it; "
        + "use \"kettle add --paused\""
    ),
    (
      .command(.neitherIDsNorAll(command: "stop")),
      "\"kettle stop\" needs transfer ids, or --all; \"kettle list\" shows the ids"
    ),
    (
      .command(.bothIDsAndAll(command: "stop")),
      "\"kettle stop\" takes either ids or --all; leave one of them out"
    ),
    (
      .command(.confirmationNeedsTerminal(command: "reset")),
      "\"kettle reset\" asks first, but there is no terminal to ask on; "
        + "add --yes"
    ),
    (
      .command(.passwordNeedsTerminal(user: "anna")),
      "Cannot ask for the password of \"anna\" without a terminal; write --user NAME:PASSWORD"
    ),
    (
      .command(.unknown("lst", meant: "list")),
      "Unknown command \"lst\"; did you mean \"list\"? \"kettle --help\" lists the commands"
    ),
    (
      .command(.unknown("xyzzy", meant: nil)),
      "Unknown command \"xyzzy\"; \"kettle --help\" lists the commands"
    ),
    (
      .command(.isURL("https://a/b")),
      "\"https://a/b\" is not a command; download it with \"kettle get URL\", "
        + "or queue it with \"kettle add URL\""
    ),
  ]

  static let values: [(UsageProblem, String)] = [
    (
      .value(.wholeSeconds(option: "--timeout", 0)),
      "Cannot use --timeout 0; give seconds from 1 to 86400"
    ),
    (.value(.hookQuote("a 'b")), "A quote in --then \"a 'b\" is not closed; close it"),
    (
      .value(.hook("", .empty)),
      "--then names no program; write --then 'PROGRAM ARGUMENTS'"
    ),
    (
      .value(.hook("bin/a", .relativeProgram)),
      "The program of --then \"bin/a\" has a relative path; give an absolute one"
    ),
    (
      .value(.hook("sh -c {path}", .placeholderForShell)),
      "A shell would execute what stands for a placeholder in --then \"sh -c {path}\"; "
        + "use a variable such as \"$KETTLE_PATH\" there"
    ),
    (
      .value(.variant("best")),
      "\"best\" is not a variant; write smallest, a height such as 720p, or a bit rate such as 2500k"
    ),
    (
      .value(.tries(-1)),
      "Cannot make -1 attempts; give a number from 1 to 1000000, or 0 for no limit"
    ),
    (
      .value(.proxy("ftp://me:pw@h")),
      "\"ftp://…@h\" is not the address of a proxy; write http://HOST:PORT, https://, socks4://, "
        + "socks4a://, socks5:// or socks5h://, or none"
    ),
    (
      .value(.fileName("a/b")),
      "\"a/b\" is not a valid file name; use no \"/\" and no control characters, at most 250 "
        + "bytes, and choose the directory with -d"
    ),
    (
      .value(.limit("fast")),
      "Invalid rate \"fast\"; write 500K or 1.5M, which is per second, "
        + "or none for no limit"
    ),
    (
      .value(.rate("fast")),
      "Invalid rate \"fast\"; write 500K or 1.5M, which is per second"
    ),
    (
      .value(.time("soon")),
      "Invalid time \"soon\"; write 2026-12-24T18:00:00Z, "
        + "2026-12-24T18:00 for local time, or +90m, +2h, +1d from now"
    ),
    (
      .value(.priority("9")),
      "Invalid priority \"9\"; write low, normal, high, or a number from 0 to 1"
    ),
    (
      .value(.header("Cookie: s3cret\n")),
      "Invalid header \"Cookie\"; write it as \"Name: value\" without line breaks"
    ),
    (
      .value(.checksum("abc")),
      "Invalid checksum \"abc\"; write sha256: and 64 hexadecimal digits, or sha512:, sha384:, "
        + "sha224:, sha1: or md5: and theirs, or the digits alone"
    ),
    (
      .value(.connections(0)),
      "Cannot use 0 connections for one file; give a number from 1 to 64"
    ),
    (
      .value(.session("")),
      "Invalid session \"\"; give a name of 1 to 255 bytes without control characters"
    ),
    (
      .value(.seconds(-1)),
      "Cannot wait -1.0 seconds; give a number from 0 to 31536000"
    ),
    (
      .value(.userEmpty), "The user name is empty; write --user NAME or --user NAME:PASSWORD"
    ),
    (
      .value(.readyDescriptor(9)),
      "The descriptor 9 of --ready-fd is not open; leave the option out"
    ),
  ]

  static let places: [(UsageProblem, String)] = [
    (
      .path(.directoryNotMade("/a/b", detail: "Permission denied")),
      "The directory \"/a/b\" cannot be created (Permission denied); choose another with -d"
    ),
    (
      .path(.temporaryDirectory("/t", detail: "No such file or directory")),
      "No temporary directory can be created in \"/t\" (No such file or directory); set TMPDIR to "
        + "another"
    ),
    (
      .path(.cookiesUnreadable("c", .unreadable(detail: "No such file or directory"))),
      "The cookies \"c\" cannot be read (No such file or directory); check the path and permissions"
    ),
    (
      .path(.notCookies("c")),
      "\"c\" has no cookies; give a file in Netscape's format, as curl and wget write it, "
        + "or the database of a browser"
    ),
    (
      .path(.cookiesEncrypted("c", host: "a.org", count: 2)),
      "2 cookies for \"a.org\" in \"c\" are encrypted with a key of the desktop's keyring, which "
        + "Kettle does not read; export the cookies in Netscape's format, with an extension of the "
        + "browser or with \"yt-dlp --cookies-from-browser chromium --cookies FILE\""
    ),
    (
      .path(.browserCookies("c", .unknownFormat)),
      "The database \"c\" is not one of Firefox's or Chromium's cookies; give \"cookies.sqlite\" or "
        + "\"Cookies\" of the browser's profile, or a file in Netscape's format"
    ),
    (
      .path(.browserCookies("c", .damaged(detail: "why"))),
      "The database \"c\" is damaged (why); export the cookies from the browser in Netscape's format"
    ),
    (
      .path(.browserCookies("c", .tooLarge(byteCountMax: 512 << 20))),
      "The database \"c\" is larger than 512 MiB, too large for cookies; check the path"
    ),
    (
      .path(.browserCookies("c", .changing)),
      "The database \"c\" changes all the time; close the browser and try again"
    ),
    (
      .path(.browserCookies("c", .unreadable(detail: "why"))),
      "The database \"c\" cannot be read (why); check the path and permissions"
    ),
    (
      .path(.browserCookies("c", .notCopied(directory: "/t", detail: "why"))),
      "The database \"c\" cannot be copied to \"/t\" (why); set TMPDIR to another directory"
    ),
    (
      .path(.directoryMissing("d")),
      "The directory \"d\" does not exist; create it, or choose another with -d"
    ),
    (
      .path(.notADirectory("d")),
      "\"d\" is not a directory; choose one with -d, and name the file with -o"
    ),
    (
      .path(.directoryUnwritable("d", detail: "Permission denied")),
      "The directory \"d\" cannot be written to (Permission denied); change its permissions, "
        + "or choose another with -d"
    ),
    (
      .path(.certificateUnreadable("c", detail: "No such file or directory")),
      "The certificate file \"c\" cannot be read (No such file or directory); "
        + "check its path and permissions"
    ),
    (
      .path(.certificateNotAFile("c")),
      "\"c\" is not a file; give a PEM certificate file with --ca-certificate"
    ),
  ]

  @Test(arguments: all)
  func `a usage error exits with 2`(problem: UsageProblem, expected: String) {
    let report = Sentences.report(of: UsageError(problem))
    #expect(report.sentences == [expected])
    #expect(report.code == .refused)
  }

  @Test func `every usage problem has its own line`() {
    let report = Sentences.report(of: UsageError(Self.all.map(\.0)))
    #expect(report.sentences == Self.all.map(\.1))
  }
}
