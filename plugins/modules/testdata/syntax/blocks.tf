resource "aws_instance" "this" {
  ami = "ami-1"

  dynamic "ebs_block_device" {
    for_each = var.disks
    content {
      device_name = ebs_block_device.value
      variable    = "not a variable"
    }
  }

  provisioner "local-exec" {
    command = "echo resource \"x\" \"y\" {"
  }

  lifecycle { ignore_changes = [ami] }
}

check "health" {
  data "http" "page" {
    url = "https://example.com"
  }
}
