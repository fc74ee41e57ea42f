import Foundation

/// The same text compressed by gzip(1), zstd(1), and Python's zlib and libbrotlienc.
enum PackedVectors {
  static let plain = (0..<6).flatMap {
    Array("line \($0) of a file that a server compresses although nobody asked for it\n".utf8)
  }

  static let gzip = bytes(
    "H4sIAAAAAAACA63MyxGAIAwFwLtVvBL8FhQlCCMSJ0Fn7F6tQW572hQzo4V4EHxMjBKovDbWixWL7Iey"
      + "GRsolSDnGpBlFneDbGMHL4pYmvQ1XZ2mr9MMdZqxTjP9bh70cm+lqgEAAA==")
  static let brotli = bytes(
    "G6kBsBwJNg51swZSXoO8mdF1wiFqFyGcLEEUyhAmB4I3T9uClkUWUB5wV+Kwow2BBzRzl84oX7leZ2d/"
      + "TBpR9p7hyQs3L1YB")
  static let zstd = bytes(
    "KLUv/QRorQIAwgQQEpA9BgBakDakO///GFhOY4uYAaaQIQB+t5RdLXjPt6KIzruWqcPx/K57l62Sptul"
      + "7bo/x8fhr/jYzxl9+JovBgYgsHMHlmTQG5QNVCZ0hyLIM2jcoCc=")
  static let deflate = bytes(
    "eNqtzMsRgCAMBcC7VbwS/BYUJQgjEidBZ+xerUFue9oUM6OFeBB8TIwSqLw21osVi+yHshkbKJUg5xqQ"
      + "ZRZ3g2xjBy+KWJr0NV2dpq/TDHWasU4z/W4ekTCYIA==")
  static let rawDeflate = bytes(
    "rczLEYAgDAXAu1W8EvwWFCUIIxInQWfsXq1BbnvaFDOjhXgQfEyMEqi8NtaLFYvsh7IZGyiVIOcakGUW"
      + "d4NsYwcvilia9DVdnaav0wx1mrFOM/1uHg==")
  static let gzipMembers = bytes(
    "H4sIAAAAAAACA3XMwQ2AMAgF0LtT/BF0JLRgG7EYQBO3Vwfw9k5PW2eMMAFBmjKyUr4O9osdi+2HcwQH"
      + "SLPauVZ0m63coNi4QMzRctCvmX6aB3BbIfdkAAAAH4sIAAAAAAACAwMAAAAAAAAAAAAfiwgAAAAAAAID"
      + "rcy7DYAwDAXAnineDHwGMsQhESFGtkFie1gBke6qUyyyH8pmbKDiSc41ocos4QbZxgFRFNm7kiujh0QQ"
      + "Yi4MT+SvjfVi/dYMbZqxTTP9bh4fqyUXRgEAAA==")
  static let zstdFrames = bytes(
    "KLUv/QRoLQIAgoQOEqDtsG0F6IWftdro/2E4/Z4ZAQLA9MfmZVXrZ+HB7ehERnDpe7v3Ocbkb+Xbvh4q"
      + "gt+VzPWGH74trQIAUOVQhGAGvuR2Qyi1L/0EaG0CAKJEDxKQzwFQj5qgxRYZ9P/D5cv1v+hkCLaS58tp"
      + "WfTsWHp56oczZA5QdtnpiNssv6hNwy9Ve1FXPnlOlvH1uQwEAAaSDEBvAGUHShSivjukQw==")
  static let brotliOfGzip = bytes(
    "CzOAH4sIAAAAAAACA63MyxGAIAwFwLtVvBL8FhQlCCMSJ0Fn7F6tQW572hQzo4V4EHxMjBKovDbWixWL"
      + "7IeyGRsolSDnGpBlFneDbGMHL4pYmvQ1XZ2mr9MMdZqxTjP9bh70cm+lqgEAAAM=")
  static let emptyGzip = bytes(
    "H4sIAAAAAAACAwMAAAAAAAAAAAA=")
  static let emptyBrotli = bytes(
    "Bg==")
  static let emptyZstd = bytes(
    "KLUv/SQAAQAAmenYUQ==")
  /// 8 MiB of zeros.
  static let brotliOfZeros = bytes(
    "m///f/gnAOKxQCD3/g8=")
  /// 128 KiB of zeros in a frame.
  static let zstdOfZeros = bytes(
    "KLUv/QBoTQAACAABAPz/ORAC")

  private static func bytes(_ base64: String) -> [UInt8] {
    Data(base64Encoded: base64).map { [UInt8]($0) } ?? []
  }
}
