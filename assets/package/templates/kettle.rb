class Kettle < Formula
  desc "@summary@"
  homepage "@homepage@"
  version "@version@"
  license all_of: [@licenses@]

  depends_on :linux

@archives@

  def install
    system "./install.sh", prefix
  end

  service do
    run [opt_bin/"@name@", "daemon", "run"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/@name@ --version")
  end
end
